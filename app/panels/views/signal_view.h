// A signal as a line, with the weights of the selected sample over it.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Whether the step pairs samples of a signal.
bool shows_signal(const Model& model, const Step& step);
// The line, which samples look and are looked at, and the row of the step under it, each key as wide as the samples
// that it stands for. Pointing at it links, a click keeps.
void draw_signal_response(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
