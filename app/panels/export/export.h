// Everything below the top bar where something is exported.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// A figure: its settings, itself on its page, its words and command.
void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The same for a sheet of exercises and its key.
void draw_worksheet_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
