// Sets formulas as TeX does: The TeXbook, appendix G, with the measures of the font's MATH table.
//
// Independent of the window: lengths are in em. Not how a formula is drawn: formula_draw.h.
#pragma once

#include <string_view>

#include "app/formula/formula.h"
#include "app/formula/formula_tree.h"

namespace headlight {

// In display style. Errors: the font lacks a character, or a mark has nothing that can be seen.
Result<Formula> lay_out_formula(const FormulaTree& tree, const MathFont& font);

// Reads and sets it.
Result<Formula> typeset(std::string_view latex, const MathFont& font);

}  // namespace headlight
