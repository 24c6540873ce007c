// The middle of the window, and what stands beside it: input, mechanism and weights at the left, the inspector at the
// right, a tab or in a drawer; and the handles that fold them away.
#pragma once

#include "app/panels/common/screen_plan.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// Notices, then the view that is chosen, or the ways to begin.
void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// Takes the sides' room from `rest` and draws them. A drawer takes none: draw_drawer() draws it over the map.
void draw_sides(Ui& ui, Rect& rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions);
// The tabs on their edges.
void draw_handles(Ui& ui, Rect rest, const ScreenPlan& plan, Actions& actions);
// Before what it may lie over is drawn, and after.
void cover_by_drawer(Ui& ui, Rect rest, const ScreenPlan& plan);
void draw_drawer(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions);

// A cell was clicked: wherever the inspector is, its story comes into view.
void show_story(const ScreenPlan& plan, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
