// The figure that a request asks for of a trace, and what is said of it.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/model/figure_companions.h"
#include "app/model/figure_request.h"
#include "app/model/model.h"

namespace headlight::app {

// A figure and the cells that it was given where they are not the trace's own.
struct OwnedFigure {
  Figure figure;
  std::vector<std::shared_ptr<const Tensor>> cells;
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

// The cells of a step's picture: its own, or a copy in which masked weights are −∞, kept in `owner`.
MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner);

// The one range of a step's picture, over all of its heads.
ValueRange range_of(const Step& step, Index batch);

// "Induction", or "Head 3" where heads have no names.
std::string head_name(const Trace& trace, Index head);

// "weight", "score": what the numbers of a step are, beside the colour bar.
std::string quantity_of(const Step& step);

// "shared by all heads", or empty for a single one.
std::string sharing_of(const Step& step);

}  // namespace headlight::app
