// What the choices of a mechanism do, drawn beside its map; the pictures themselves are in parts.h.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Whether a choice of the shown result has a picture.
bool has_mechanism_view(const Model& model);
void draw_mechanism_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
