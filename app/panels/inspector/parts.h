// The right panel: formula, explanation, the history of the selected cell; and what it is put together from.
#pragma once

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"
#include "app/reading/cell_trace.h"

namespace headlight::app {

struct InspectorMemory {
  bool tab = false;              // narrow windows: the left panel shows the inspector
  bool scroll_to_story = false;  // a cell was clicked: it scrolls to its story
  std::string of_step;           // that was shown last
  float story_at = 0;            // px of the screen from its top to the story of the cell
};

// Returns the height it takes.
float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// A line over the whole panel, between two parts of it.
inline void draw_divider(Form& form, Rect panel) {
  form.ui.line({panel.x, form.y}, {panel.right(), form.y}, form.ui.theme().line);
  form.y += form.ui.px(16);
}

// "Q [9 cat] asks K [3 sat]", "Q [7, 3] asks K [−2, +1 · pixel 5, 4]": the cell's place along every axis but batch and
// head, on as many lines as that takes.
void draw_position(Form& form, const Model& model, const Step& step, Index cell);

// A bar from the middle of the line, `share` of half its length, to the right where that is positive; the margin in px
// of the design.
void draw_signed_bar(Ui& ui, Rect line, double share, float margin);

// A dot product pair by pair, where channels were turned.
void draw_pairs(Form& form, const PairTable& table);

// The pinned cell beside that other cell of the step: their operands and their lines, and where they part.
void draw_two_cells(Form& form, const Model& model, PanelMemory& memory, Index second);

// Behind the map of weights: what the row that is chosen is made of, or each; nothing at other steps.
void draw_made_of(Form& form, Rect panel, const Model& model, PanelMemory& memory);

// The parts below the cell, at the top of the box. Each returns the height it takes.

// What can be set by hand at the place that is looked at, and the edits there are, each with its switch.
float draw_by_hand(Ui& ui, Rect box, const Model& model, Actions& actions);
// The step's line or two of NumPy, and the whole run as a script to copy.
float draw_code(Ui& ui, Rect box, const Model& model, Actions& actions);
// Lines on a ground of their own, logged under the path.
float draw_code_lines(Ui& ui, Rect box, const std::string& lines, const std::string& path);
// Does the order matter? Positions are shuffled or shifted, and the window says whether the output moved along. Nothing
// where the input has no positions, or the variant no output.
float draw_equivariance(Ui& ui, Rect box, const Model& model, Actions& actions);
// What the mechanism costs as its input grows, as a small chart with the user's own size marked.
float draw_costs(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
