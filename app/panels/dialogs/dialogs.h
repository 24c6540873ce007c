// What lies over the window: open, save, all keys, the palette, menus.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

struct DialogsMemory {
  Dialog drawn_last = Dialog::none;
};

void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// The files that were open last, side by side at the top of the room: each opens by a click. Nothing where the room is
// too low, or nothing was open.
void draw_recent_files(Ui& ui, Rect room, const Model& model, Actions& actions);

}  // namespace headlight::app
