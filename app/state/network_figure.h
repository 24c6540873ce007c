// A model's run as figures take one: the maps of its layers, with what its positions are called.
//
// Not for what a figure shows of it: app/figures/figure_layers.h.
#pragma once

#include <memory>

#include "app/state/network_run.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct FiguredNetwork {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

// Shares the maps: −∞ in them stands where a key is hidden. Nothing of a run that did not keep them all.
FiguredNetwork figured(const NetworkRun& run);

}  // namespace headlight::app
