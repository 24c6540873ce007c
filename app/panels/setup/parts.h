// Parts of the left panel that are files of their own. What draws into a form moves it on.
#pragma once

#include <string>

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

std::string file_name(const std::string& path);

// Channel 0 of what the mechanism reads, as a line, with the selected samples; column, stretch and positions.
void draw_signal_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions);

// Which array of a file is the input, and what its axes mean.
void draw_array_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions);

// Where weights come from.
void draw_weights(Form& form, const Model& model, Actions& actions);

// Presets, questions and rows.
void draw_params(Form& form, const Model& model, PanelMemory& memory, Actions& actions);
// A question of the mechanism's, and the choices that answer it; folded, what is chosen. Returns
// whether what belongs to it is to be drawn.
bool draw_question(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                   PanelMemory& memory, Actions& actions);
// Which query heads of the run read each key head, where several read one.
void draw_shared_heads(Form& form, const Model& model);

}  // namespace headlight::app
