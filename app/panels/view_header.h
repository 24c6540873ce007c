// Parts of the line over a view, for the screens that have one of their own.
#pragma once

#include <string>

#include "app/panels/panels.h"

namespace headlight::app {

// Which batch item, where there is more than one; from the header's right.
void draw_batch(Ui& ui, Rect& header, const Model& model, Actions& actions);
// Which channel, where the view shows one of several.
void draw_channel(Ui& ui, Rect& header, const Model& model, Actions& actions);
// Which of a stage's steps: q, k or v.
void draw_stage_steps(Ui& ui, Rect& controls, const Model& model, Actions& actions);
// Where no thumbnails stand beside the view, its head is chosen from a list at the header's left.
void draw_head_choice(Ui& ui, Rect& header, const Model& model, Actions& actions);
// "Head 3 · Induction", and beside it "attention weights".
std::string title_of_view(const Model& model);
std::string subtitle_of_view(const Model& model);

}  // namespace headlight::app
