// Parts of the dialogs that open and save, and what stands of them where there is nothing to show yet.
#pragma once

#include <filesystem>

#include "app/panels/common/shown.h"

namespace headlight::app {

// The map of a recent file, where there is a picture of it.
void draw_thumbnail(Ui& ui, Rect place, const std::filesystem::path& of, const Model& model);

// What would go into the file, and how large that makes it. Takes the room from the top.
void draw_to_embed(Ui& ui, Rect& inside, const Model& model);

// The files that were open last, side by side at the top of the room: each opens by a click. Nothing where the room is
// too low, or nothing was open.
void draw_recent_files(Ui& ui, Rect room, const Model& model, Actions& actions);

}  // namespace headlight::app
