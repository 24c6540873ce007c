// The middle of the window.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Notices, then the view that is chosen, or the ways to begin.
void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
