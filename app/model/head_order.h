// What heads are put in the order of, or marked by: their numbers, or a measure.
#pragma once

#include <optional>

#include "engine/measures/head_measures.h"

namespace headlight::app {

// The measures are in the order of Measure.
enum class HeadOrder {
  number,
  entropy,
  effective_keys,
  confidence,
  distance,
  self,
  previous,
  first,
  same,
  induction,
  special,
  share,
  ablation
};
inline std::optional<Measure> measure_of(HeadOrder order) {
  if (order == HeadOrder::number) return std::nullopt;
  return static_cast<Measure>(static_cast<int>(order) - 1);
}
inline HeadOrder order_by(Measure measure) {
  return static_cast<HeadOrder>(static_cast<int>(measure) + 1);
}
static_assert(static_cast<std::size_t>(HeadOrder::ablation) == measure_count);

}  // namespace headlight::app
