// The menu of what is selected and the list of what was done. What stands in them is the table of actions' and the
// history's.
#pragma once

#include "app/panels/common/menu.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

void draw_menu(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
void draw_history(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
