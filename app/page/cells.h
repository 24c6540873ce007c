// What the vector formats draw of a map: runs of equal cells, lines over the masked ones, or a picture of many cells.
//
// Not for pixels of the page: cairo_page.cpp has the rasterizer for them.
#pragma once

#include <vector>

#include "app/page/layout.h"
#include "engine/picture/image.h"
#include "engine/picture/resize.h"

namespace headlight {

enum class CellLook { value, masked, broken };

// Cells of one row that look the same.
struct CellRun {
  Index row = 0, column = 0, length = 0;
  CellLook look = CellLook::value;
  Color color;  // the ground's, where masked or broken
};

// Every cell of the map, row by row; one cell a run where the map has gaps.
std::vector<CellRun> runs_of(const MapItem& map, const ColorTable& table);

// Whether some of the runs look so.
bool any_has(const std::vector<CellRun>& runs, CellLook look);

// Where a run stands on the page; without the gaps after its cell.
Box box_of(const MapItem& map, const CellRun& run);

// How many cells the picture of a map has, or how many pixels the picture that stands for one.
PictureSize picture_size(const MapItem& map);

// One cell a block of `factor` × `factor` pixels, in the colours of runs_of(); or the map's own picture, enlarged so.
Image image_of(const MapItem& map, const ColorTable& table, Index factor);

struct Segment {
  Point from;
  Point to;
};

// The lines over a map's masked cells, which rise to the right, or its broken ones, which fall; to be clipped to them.
std::vector<Segment> hatching(const Box& map, CellLook look);

Color hatch_color(CellLook look);
// In points.
double hatch_width(CellLook look);

}  // namespace headlight
