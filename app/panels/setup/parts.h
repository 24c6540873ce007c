// The left panel: what is attended to, by which mechanism, with which parameters and weights. What draws into a form
// moves it on.
#pragma once

#include <set>
#include <string>

#include "app/model/browse.h"
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

std::string file_name(const std::string& path);
// What there is in a file of the experiment; asked for once, and null until it has been read.
const Preview* file_preview(const Model& model, PanelMemory& memory, const std::string& path, Actions& actions);

// Whether what is shown was made of another file or text than is asked for: a run that was refused leaves it.
// An input that is null comes from the experiment's file of arrays.
bool is_of_other_input(const Model& model, const InputSpec* asked);

// Channel 0 of what the mechanism reads, as a line, with the selected samples; column, stretch and positions.
void draw_signal_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions);

// Which array of a file is the input, and what its axes mean.
void draw_array_input(Form& form, const Model& model, PanelMemory& memory, const std::string& id, Actions& actions);

// Presets, questions and rows.
void draw_params(Form& form, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
