// The figure that a look at a trace asks for: one head or all of them, on one scale.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/model/model.h"

namespace headlight::app {

// A figure and the cells that it was given where they are not the trace's own.
struct OwnedFigure {
  Figure figure;
  std::vector<std::shared_ptr<const Tensor>> cells;
};

// The trace must outlive the figure. Weights are hatched where the scores before them were masked.
OwnedFigure figure_of(const Trace& trace, const Step& step, const Look& look, bool all_heads, bool dark = false);

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
