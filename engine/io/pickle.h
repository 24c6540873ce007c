// What a Python pickle says, without anything being run: containers, numbers and text as they are, and of every call
// its name and what it would have been given. Nothing is looked up, made or called.
//
// Not for what the names mean: torch_file.h. Opcodes: CPython's Lib/pickletools.py; those that a state dict needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace headlight {

struct Pickled {
  enum class Kind {
    none,
    flag,
    whole,
    real,
    text,
    bytes,       // what they are is not kept
    tuple,       // items
    list,        // items
    dict,        // items: a key and its value, and so on
    name,        // of something in a module, as text: "torch.FloatStorage"
    call,        // items: what would have been called, and the tuple it would have been given
    persistent,  // items: what another file is asked for
  };
  Kind kind = Kind::none;
  std::int64_t whole = 0;  // flag, whole
  double real = 0;
  std::string text = {};                  // text, name
  std::vector<std::uint32_t> items = {};  // places in Pickle::values
};

struct Pickle {
  std::vector<Pickled> values;
  std::uint32_t top = 0;  // what was pickled
};

inline constexpr std::size_t longest_pickle = 100'000'000;  // bytes
inline constexpr std::size_t most_pickled = 1'000'000;      // values
inline constexpr std::size_t most_places = 10'000'000;      // in all their items; nor more than two for each byte
inline constexpr int deepest_pickle = 100;                  // containers in each other, for whoever walks them

// Errors: "pickle opcode INST at 211 is not one that a state dict needs"; what does not fit together; too many values
// or places.
Result<Pickle> read_pickle(std::string_view bytes);

}  // namespace headlight
