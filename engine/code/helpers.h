// The functions that the lines of steps may call and that are neither Python's nor the library's own.
#pragma once

#include <span>
#include <string_view>

namespace headlight {

// A Python function of two or more lines.
struct Helper {
  std::string_view name;
  std::string_view text;  // ends with a line break
};

// Each may call those that come after it.
std::span<const Helper> numpy_helpers();
std::span<const Helper> torch_helpers();

}  // namespace headlight
