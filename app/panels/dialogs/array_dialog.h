// The question which array of a file is the input, and what its axes mean: the file does not say.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Which array of a file is to be the input, while it is asked.
struct ArrayChoice {
  std::size_t index = 0;
  std::string axes;
};

// When the dialog opens: the first array that can be an input, with the likeliest meaning.
void begin_array_dialog(const Model& model, PanelMemory& memory);
void draw_array_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
