// The left panel: what is attended to, by which mechanism, with which parameters and weights.
#pragma once

#include <set>

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// Which questions are folded to their answers.
struct FoldsMemory {
  std::set<ParamQuestion> folded;
  bool more_parameters = false;
};

// Input, mechanism, parameters, weights. Return the height they take.
float draw_settings(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What sets one of the parameters, in a line of the left panel.
void draw_param_control(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, const Model& model,
                        Actions& actions);
// What is attended to: a sentence with its tokens, a picture, a video, a signal. Moves the form on.
void draw_input(Form& form, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
