// How much of its weight each head of a map gives to each key, or to some of them together.
#pragma once

#include <optional>
#include <vector>

#include "engine/trace/step.h"

namespace headlight {

// (heads × keys): for each head the mean over queries, of all items of the batch or of one, of the weight that a key
// receives; rows whose weights are all 0 count nowhere, and NaN where no other is. The map has axes of heads, queries
// and keys, the keys last.
std::vector<double> weight_of_keys(const Step& map, std::optional<Index> item = {});

// For each head the same of these keys together. Clark et al. 2019, section 3.2, of tokens that stand for no text.
std::vector<double> weight_on_keys(const Step& map, const std::vector<Index>& keys, std::optional<Index> item = {});

}  // namespace headlight
