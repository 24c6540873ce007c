// How many keys a query's weights are spread over.
#pragma once

#include <optional>

#include "app/reading/slice.h"
#include "engine/trace/trace.h"

namespace headlight::app {

struct ResponseWidth {
  Index half = 0, most = 0;  // keys that together have 50 % and 90 % of the weight, the heaviest first
  double effective = 0;      // exp of the entropy: so many keys looked at alike would spread it as wide
  Index keys = 0;            // that could be looked at, masked ones aside
};

// Of the row of a cell; nothing where weights are no softmax over keys, or all of them are masked.
std::optional<ResponseWidth> response_width(const Trace& trace, const Step& weights, Index cell);

}  // namespace headlight::app
