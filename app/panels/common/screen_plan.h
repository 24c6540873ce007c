// Where the parts of the explore screen stand, by the size of the window in px of the design: px of the screen divided
// by the size of text. Plain numbers, no drawing.
//
// As the window gets smaller or the text larger, the parts around the map give way in this order:
//  1. below 1440 wide the inspector becomes a tab of the left panel; below 1000 that panel is narrower; below 840 it is
//     a drawer that opens over the map;
//  2. the thumbnails of the heads stand in one column, then behind a list over the map (map_panel.cpp);
//  3. below 860 high the strip of steps has small thumbnails, below 620 names alone, and the stepper no names; below
//  420
//     the strip is gone, for the stepper names the step;
//  4. the bars of the row go, then the colour bar (map_panel.cpp).
// Either side can be folded away at any size.
#pragma once

#include "app/model/model.h"

namespace headlight::app {

struct ScreenPlan {
  float top = 48, stepper = 56;
  float strip = 128;       // 0: gone
  float left = 304;        // 0: folded away
  float inspector = 352;   // at the right; 0: folded away, or a tab of the left panel
  bool tab = false;        // the inspector is a tab of the left panel
  bool in_drawer = false;  // which opens over the map
};

ScreenPlan plan_screen(float width, float height, const Sides& sides);

// The same where two results are compared: neither strip nor inspector.
ScreenPlan plan_comparison(float width, float height, const Sides& sides);

// Which side a key that folds `asked` means in a window of that plan.
Side folded_by(const ScreenPlan& plan, Side asked);

}  // namespace headlight::app
