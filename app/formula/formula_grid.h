// Rows of cells that stand under each other: LaTeX's matrix and cases, amsmath's gathered and aligned.
//
// Not what stands round them: brackets come after, in formula_layout.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "app/formula/formula_boxes.h"

namespace headlight {

struct GridLine {
  std::vector<MathBox> cells;
  double gap = 0;  // em, left free under it besides
};

// The environment's distances and edges. The baseline is that of the first line.
MathBox grid_box(std::vector<GridLine> lines, std::string_view environment);

// Lines of gathered and aligned are each a formula of their own.
bool is_in_display_style(std::string_view environment);

}  // namespace headlight
