// The right panel: formula, explanation, the history of the selected cell.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

struct InspectorMemory {
  bool tab = false;          // narrow windows: the left panel shows the inspector
  bool bring_story = false;  // a cell was clicked: it scrolls to its story
  float story_at = 0;        // px of the screen from its top to the story of the cell
};

// Returns the height it takes.
float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
