// Two results beside each other.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// The middle of the window.
void draw_compare_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What stands at its left. Returns the height it takes.
float draw_compare_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
