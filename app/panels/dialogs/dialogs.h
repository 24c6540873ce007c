// What lies over the window: open, save, all keys, the palette, menus.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

struct DialogsMemory {
  Dialog drawn_last = Dialog::none;
};

void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
