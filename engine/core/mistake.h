// A programmer's mistake, said in one line that names the thing, in every build: a step without words, an array that is
// not declared.
//
// Not for what a person or a file can get wrong: that is a Result (result.h).
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace headlight {

// Prints "headlight: a mistake in the program: …" and ends the program.
[[noreturn]] void end_with_mistake(const std::string& line);

// mistake("the step {} has no words", id).
template <class... Args>
[[noreturn]] void mistake(fmt::format_string<Args...> format, Args&&... args) {
  end_with_mistake(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace headlight
