// What the mechanism costs as its input grows, as a small chart with the user's own size marked.
#pragma once

#include "app/panels/shown.h"

namespace headlight::app {

// Returns the height it takes; 0 where there is nothing to tell.
float draw_costs(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
