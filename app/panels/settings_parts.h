// Parts of the left panel that are files of their own.
#pragma once

#include "app/panels/panels.h"

namespace headlight::app {

// Where weights come from. Moves the form on.
void draw_weights(Form& form, const Model& model, Actions& actions);

}  // namespace headlight::app
