// How far apart neighbours of a formula stand (The TeXbook, chapter 18 and appendix G, rules 5, 6 and 20).
#pragma once

#include <span>

#include "app/formula/formula_tree.h"

namespace headlight {

// Signs with nothing to stand between are no binary ones: the minus of "= −1".
void settle_binaries(std::span<MathClass> classes);

// Between a settled class and the next, in em of their size.
double space_between(MathClass left, MathClass right, bool in_scripts);

}  // namespace headlight
