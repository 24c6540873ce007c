// Reads the LaTeX subset of docs/formulas.md into a tree.
#pragma once

#include <string_view>

#include "app/formula/formula_tree.h"
#include "engine/core/result.h"

namespace headlight {

// The error is one line: what cannot be read, and behind which of the formula's first bytes.
Result<FormulaTree> parse_formula(std::string_view latex);

}  // namespace headlight
