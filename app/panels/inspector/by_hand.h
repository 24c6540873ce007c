// Numbers that are set by hand: what can be set at the place that is looked at, and the edits there are, each with its
// switch.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Returns the height it takes.
float draw_by_hand(Ui& ui, Rect box, const Model& model, Actions& actions);

}  // namespace headlight::app
