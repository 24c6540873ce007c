// Choices of a request that do nothing beside its others: neither a command nor a reader may think that they are shown.
//
// Not for looks, such as widths, marks and lines, which find nothing to change in some figures.
#pragma once

#include <string>
#include <vector>

#include "app/figures/figure_request.h"
#include "engine/trace/trace.h"

namespace headlight::app {

struct IdleChoice {
  std::string key;  // of set_figure()
  std::string why;  // "rollout is of all heads together"
};

std::vector<IdleChoice> idle_choices(const Trace& trace, const FigureRequest& request);

// Errors: one of those that were `given` is idle; the message says what to leave out.
Status check_choices(const Trace& trace, const FigureRequest& request, const std::vector<std::string>& given);

// The same figure, asked for without them.
FigureRequest without_idle_choices(FigureRequest request, const Trace& trace);

}  // namespace headlight::app
