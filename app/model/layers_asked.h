// The run of a model of many layers that a session asked for last, and what became of it. For session_*.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "app/model/network_figure.h"

namespace headlight::app {

struct LayersAsked {
  std::uint64_t ticket = 0;
  std::shared_ptr<OpenModel> open;
  // Written by the thread of runs before its outcome is polled.
  std::shared_ptr<const NetworkRun> run;
  FiguredNetwork figured;
};

}  // namespace headlight::app
