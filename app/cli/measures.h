// Measures of a run's layers and heads as arrays, for commands that write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/trace/trace.h"

namespace headlight::app {

// Arrays that stand in no trace.
using Made = std::vector<std::pair<std::string, Tensor>>;

// measure/NAME (layers, heads) of maps of a trace, a layer each, and rollout (batch, layers, n, n) where that is asked
// for and maps are square. A measure that has no meaning for such maps is left out; NaN is a head of which no query
// counts.
Made measures_of(const Trace& trace, const std::vector<const Step*>& maps, bool with_rollout = true);

}  // namespace headlight::app
