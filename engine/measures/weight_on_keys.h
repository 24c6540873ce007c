// How much of its weight each head of a map gives to some keys.
#pragma once

#include <vector>

#include "engine/trace/step.h"

namespace headlight {

// For each head the mean over batch and queries of Σ w_ij over these keys j; rows whose weights are all 0 count
// nowhere, and NaN where no other is. The map has axes of heads, queries and keys, the keys last. Clark et al. 2019,
// section 3.2, of tokens that stand for no text.
std::vector<double> weight_on_keys(const Step& map, const std::vector<Index>& keys);

}  // namespace headlight
