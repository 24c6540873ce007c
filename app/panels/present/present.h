// The presenter: an experiment for a class, at a size for the back row. Everything is laid out for a window 1080 px
// high, whatever the size of its window and of the text elsewhere.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// px for one px of the design in a window of that height: `usual`, unless the presenter is shown.
float scale_shown(const Model& model, float height, float usual);
// The theme that is shown: the presenter has its own.
ThemeId theme_shown(const Model& model);

// What is presented, in the whole window.
void draw_presenter(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// Whether what only who presents sees has a window of its own, and that, in the whole of it.
bool shows_notes(const Model& model);
void draw_present_notes(Ui& ui, Rect window, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
