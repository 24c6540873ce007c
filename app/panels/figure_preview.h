// A figure drawn for the screen from the same layout as its file.
#pragma once

#include "app/panels/shown.h"

namespace headlight::app {

// The figure of the model, so that a point of it is `pixels_per_point` pixels wide, as the vision in `memory` sees it.
// Drawn again only when something of it changed.
const FigurePreview& figure_preview(const Model& model, PanelMemory& memory, double pixels_per_point);

}  // namespace headlight::app
