// The line over a view: its title and controls, and its parts for the screens that have a line of their own.
#pragma once

#include <string>

#include "app/panels/common/shown.h"

namespace headlight::app {

// Where `title` is empty it is the step's. Returns the room left between title and controls. With `choose_head` a list
// of the heads stands in place of the title.
Rect draw_view_header(Ui& ui, Rect header, const Model& model, const std::string& title, const std::string& what,
                      Actions& actions, bool choose_head = false);

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
