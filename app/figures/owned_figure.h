// A figure that keeps what it shows alive.
#pragma once

#include <memory>
#include <vector>

#include "app/page/figure.h"
#include "engine/trace/step.h"

namespace headlight::app {

// A figure and the cells that it was given where they are not the trace's own.
struct OwnedFigure {
  Figure figure;
  std::vector<std::shared_ptr<const Tensor>> cells;
  std::vector<std::shared_ptr<const Step>> steps;  // those of them that are no trace's
};

}  // namespace headlight::app
