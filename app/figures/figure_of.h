// The figure that a request asks for of a trace, and what is said of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/figure_plan.h"
#include "app/figures/figure_request.h"
#include "app/page/figure.h"
#include "engine/trace/step.h"

namespace headlight::app {

// A figure and the cells that it was given where they are not the trace's own.
struct OwnedFigure {
  Figure figure;
  std::vector<std::shared_ptr<const Tensor>> cells;
  std::vector<std::shared_ptr<const Step>> steps;  // those of them that are no trace's
  Index left_out = 0;  // numbers of what is taken away, of keys that lie in no window of the first
};

// The trace and its problem must outlive the figure. Weights are hatched where the scores before them were masked. Only
// the request counts, so that the window and the command make the same of it: without steps it is of the weights.
// Errors: a step, head, batch item, query, key or frame that there is none of; a logarithmic scale over numbers below
// 0; a companion that has not run; layers of other heads, or a difference of other sizes.
Result<OwnedFigure> figure_of(const Trace& trace, const Problem& problem, const FigureRequest& request,
                              const Companions& companions = {});

// Written from the figure's numbers: a caption for a paper, and a text for those who cannot see it, of at most 2000
// bytes.
std::string caption_of(const Figure& figure);
std::string alt_of(const Figure& figure);

// The numbers of a figure, before any pooling: labels and panel after panel, in the shortest digits that read back the
// same float32.
std::string csv_of(const Figure& figure);

}  // namespace headlight::app
