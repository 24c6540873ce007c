// The part of a large map that is shown, larger: which cells of it, and how a drag moves it.
#pragma once

#include <functional>

#include "app/widgets/views.h"

namespace headlight::app {

// Of so many rows or columns.
Index cells_shown(Index count, double zoom);
void keep_inside(MapPart& part, const MatrixView& cells);
HeatmapData part_of(const HeatmapData& whole, const MapPart& part);
// A drag moves the part. Returns whether the pointer drags.
bool pan(Ui& ui, MapPart& part, Rect map, const MatrixView& cells, bool held);
// Ctrl and the wheel, + and −: closer or further, the cell under the pointer stays. 0 and a double click show all.
// `next_map` lays the part out anew: in whole pixels it is not as large as it was.
void zoom(Ui& ui, MapPart& part, Rect map, const MatrixView& cells, const std::function<Rect()>& next_map);
// Where the whole map stands small: in a lower corner of the map, away from that point. Then the frame of the part on
// it.
Rect begin_overview(Ui& ui, Rect map, const MatrixView& cells, Point away_from);
void frame_part(Ui& ui, const std::string& path, Rect overview, const MapPart& part, const MatrixView& cells);

}  // namespace headlight::app
