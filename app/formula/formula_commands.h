// The commands of the LaTeX subset that formulas are written in, each once: docs/formulas.md has the same table for
// people, and a test holds one to the other.
#pragma once

#include <span>
#include <string_view>

#include "app/formula/formula_tree.h"

namespace headlight {

struct FormulaCommand {
  enum class Meaning {
    symbol,    // a character of a class; large ones grow in display style
    word,      // an operator that is written out, as \max
    space,     // of a width
    accent,    // over an argument; large ones are as wide as it is
    alphabet,  // letters of an argument, as \mathrm
    sized,     // a delimiter of a fixed size, as \bigl
    special,   // what the parser knows by name: \frac, \sqrt, \text, \hl, \left, \begin …
  };
  std::string_view name = {};
  Meaning meaning = Meaning::symbol;
  char32_t character = 0;
  MathClass math_class = MathClass::ord;
  std::string_view plain = {};
  bool large = false, limits = false;
  MathAlphabet alphabet = MathAlphabet::italic;  // of a symbol or a group
  double width = 0;                              // em
  int size = 0;
};

std::span<const FormulaCommand> formula_commands();
// Null for a name that is none.
const FormulaCommand* formula_command(std::string_view name);

// What \left, \right and \bigl take before them: "(", "\\lfloor"; 0 where it is none.
char32_t delimiter_named(std::string_view name);

}  // namespace headlight
