// What a step of a trace is called and shows, for panels, figures and worksheets alike.
#pragma once

#include <memory>
#include <string>

#include "app/reading/slice.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

// The cells of a step's picture: its own, or a copy in which masked weights are −∞, kept in `owner`.
MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner);

// The one range of a step's picture, over all of its heads.
ValueRange range_of(const Step& step, Index batch);

// "Induction", or "Head 3" where heads have no names.
std::string head_name(const Trace& trace, Index head);
// "3" to stand before its name; empty where the name says it.
std::string head_number(const Trace& trace, Index head);

// "weight", "score": what the numbers of a step are, beside the colour bar.
std::string quantity_of(const Step& step);

// "shared by all heads", or empty for a single one.
std::string sharing_of(const Step& step);

}  // namespace headlight::app
