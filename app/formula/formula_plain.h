// A formula as one line of readable Unicode text, for terminals, worksheets, alternative texts and tests.
//
// Not typeset: what Unicode has no sign for stays readable ASCII, as the script in x^q_i.
#pragma once

#include <string>
#include <string_view>

#include "app/formula/formula_tree.h"

namespace headlight {

// "\frac{q_i \cdot k_j}{\sqrt{d'}}" gives "(qᵢ · kⱼ)/√d′". Rows are parted by "; " and \hl marks leave no trace.
std::string plain_formula(const FormulaTree& tree);

// The same of LaTeX; what cannot be read stays as it stands, as LaTeX.
std::string plain_formula(std::string_view latex);

}  // namespace headlight
