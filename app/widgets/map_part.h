// The part of a large map that is shown, larger: which cells of it, and how a drag moves it.
#pragma once

#include "app/widgets/views.h"

namespace headlight::app {

// Of so many rows or columns.
Index cells_shown(Index count, double zoom);
void keep_inside(MapPart& part, const MatrixView& cells);
HeatmapData part_of(const HeatmapData& whole, const MapPart& part);
// A drag moves the part. Returns whether the pointer drags.
bool pan(Ui& ui, MapPart& part, Rect map, const MatrixView& cells, bool held);

}  // namespace headlight::app
