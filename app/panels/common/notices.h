// Errors, warnings and notes, as cards.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Returns the height they take.
float draw_notices(Ui& ui, Rect box, const Model& model, Actions& actions);
// Draws the notices at the top of a view; returns the rest of the box inside its margins.
Rect draw_view_notices(Ui& ui, Rect box, const Model& model, Actions& actions);
// The same on other screens, where there are any, with that margin at both sides: the top of the box moves below them.
void take_notices(Ui& ui, Rect& box, float margin, const Model& model, Actions& actions);
// A warning at the top of the box, whose top moves below it. Returns whether its button was pressed.
bool draw_warning(Ui& ui, Rect& box, const std::string& path, const std::string& text, const std::string& label);

}  // namespace headlight::app
