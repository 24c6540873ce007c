// Where everything of a figure stands on its page: a list of maps, fills and lines of text, in points from the top
// left.
//
// Not for drawing: a back end (cairo_page.h) only paints the list, so that all formats look the same.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/fonts.h"
#include "engine/picture/color.h"

namespace headlight {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// A rectangle of cells. Its sides are multiples of the grid, and so is each cell of a panel.
struct MapItem {
  Box box;
  MatrixView cells;
  std::shared_ptr<const Tensor> owned;  // what `cells` views, where the layout made it
  bool gaps = false;
};

struct FillItem {
  Box box;
  Color color;
};

struct TextItem {
  Point origin;  // the start of the baseline
  TextLine line;
  Color color;
  bool upward = false;  // turned 90° to read from below
};

// Painted in this order: ground, maps, fills, texts.
struct Page {
  double width = 0;
  double height = 0;
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  std::vector<MapItem> maps;
  std::vector<FillItem> fills;
  std::vector<TextItem> texts;
};

// Between cells that are large enough to have a gap.
inline constexpr double gap_points = 0.5;

// `grid` is the length, in points, that edges are snapped to: a device pixel, where there are pixels.
// Errors as of render_png().
Result<Page> lay_out(const Figure& figure, const PageOptions& options, const FontSet& fonts, double grid);

}  // namespace headlight
