// The whole window: lays the panels out for its size and answers to the keyboard.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// `notes` is the window beside it, where there is one. Returns what was asked for; there is no other output.
Actions draw_screen(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Rect notes = {});

}  // namespace headlight::app
