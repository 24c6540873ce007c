// The views of one step.
#pragma once

#include <utility>

#include "app/panels/common/shown.h"

namespace headlight::app {

// Where the strip of steps was brought to show the current one, and in how much room.
struct StripAt {
  int stage = -1;
  float room = 0, length = 0;  // px of the screen
  bool operator==(const StripAt&) const = default;
};

struct LinesMemory {
  Index scrolled_to = -1;  // the query
};

struct NumbersMemory {
  std::pair<Index, Index> scrolled_to{-1, -1};  // the pinned cell
  bool all_questions = false;                   // below the numbers: those too that one line has no room for
};

// The strip of stages.
void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The step's large map with its bars, and all heads beside it.
void draw_heatmap_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Where the selected query looks, on the picture that was given; for steps of pairs whose keys lie on a grid.
void draw_picture_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Lines from queries to keys, as wide as their weights.
void draw_lines(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The selected row, number by number, and what would change it.
void draw_numbers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
