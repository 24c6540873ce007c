// Does the order matter? The end of the inspector: positions are shuffled or shifted, and the window says whether the
// output moved along.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Draws at the top of the box, whose sides are the inspector's. Returns the height it takes; 0 where the input has no
// positions, or the variant no output.
float draw_equivariance(Ui& ui, Rect box, const Model& model, Actions& actions);

}  // namespace headlight::app
