// A state dict that was opened: which of its layers, of how many heads, is asked on one card.
//
// Not for what its names mean: engine/layouts.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Which layer of a state dict is opened, while it is asked.
struct LayerChoice {
  std::size_t place = 0;  // among the layouts that fit
  Index layer = 0;        // among its layers
  Index heads = 0;        // 0: not said yet
};

// When the dialog opens: the layout that fits best, and the heads that a config beside the file says.
void begin_layer_dialog(const Model& model, PanelMemory& memory);
void draw_layer_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
