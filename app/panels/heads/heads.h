// Every head measured.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// A table, a plot of two measures, and what the measures are.
void draw_heads_report(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
