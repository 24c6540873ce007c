// Signals and arrays in the left panel: which of what a file holds is read, and how.
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

}  // namespace headlight::app
