// Parts of the left panel that are files of their own.
#pragma once

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// Where weights come from. Moves the form on.
void draw_weights(Form& form, const Model& model, Actions& actions);

// Presets, questions and rows. Moves the form on.
void draw_params(Form& form, const Model& model, PanelMemory& memory, Actions& actions);
// A question of the mechanism's, and the choices that answer it; folded, what is chosen. Moves the form on, and returns
// whether what belongs to it is to be drawn.
bool draw_question(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                   PanelMemory& memory, Actions& actions);
// Which query heads of the run read each key head, where several read one. Moves the form on.
void draw_shared_heads(Form& form, const Model& model);

}  // namespace headlight::app
