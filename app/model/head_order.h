// What heads are put in the order of, or marked by: their numbers, or a measure.
#pragma once

#include <optional>

#include "engine/measures/measure.h"

namespace headlight::app {

using HeadOrder = std::optional<Measure>;  // none: by their numbers

}  // namespace headlight::app
