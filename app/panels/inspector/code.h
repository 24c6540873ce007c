// The step as code: its line or two of NumPy, and the whole run as a script to copy. A part of the inspector.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Draws at the top of the box, whose sides are the inspector's. Returns the height it takes.
float draw_code(Ui& ui, Rect box, const Model& model, Actions& actions);

// Lines on a ground of their own, logged under the path. Returns the height.
float draw_code_lines(Ui& ui, Rect box, const std::string& lines, const std::string& path);

}  // namespace headlight::app
