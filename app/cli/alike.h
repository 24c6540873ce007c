// headlight heads --alike: which heads do the same, as far as their weights tell.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/measures/head_distances.h"
#include "engine/trace/step.h"

namespace headlight::app {

// The distances between all heads of maps of one kind, a layer each, that have this part of a model in common.
struct AlikeHeads {
  std::string part;                // empty: a model of one stack, or none
  std::vector<std::string> names;  // "3", or "layer.head"
  HeadDistances distances;
};
// Error: the maps are not of the same queries and keys.
Result<AlikeHeads> alike_heads(std::string part, const std::vector<const Step*>& maps, Compute& compute);

// Each head with the one nearest to it, the nearest pairs first.
std::string alike_as_text(const std::vector<AlikeHeads>& parts);
// Every pair of heads, with all digits.
std::string alike_as_fields(const std::vector<AlikeHeads>& parts);

}  // namespace headlight::app
