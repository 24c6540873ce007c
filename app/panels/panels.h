// The panels of the window. Each draws the model into a box and adds what was asked for to `actions`; there is no other
// output.
#pragma once

#include "app/panels/shown.h"

namespace headlight::app {

// Everything: lays the panels out for the size of the window and answers to the keyboard.
Actions draw_screen(Ui& ui, Rect window, const Model& model, PanelMemory& memory);

// Input, mechanism, parameters, weights. Return the height they take.
float draw_settings(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Formula, explanation, the history of the selected cell. Returns the height it takes.
float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The strip of stages.
void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The step's large map with its bars, and all heads beside it.
void draw_map_panel(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What lies over the window: open, save, save a picture, all keys.
void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
