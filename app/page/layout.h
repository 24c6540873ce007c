// Where everything of a figure stands on its page: a list of maps, fills and lines of text, in points from the top
// left.
//
// Not for drawing: a back end (formats.h) only paints the list, so that all formats look the same.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/page/figure.h"
#include "app/text/font_set.h"
#include "engine/picture/color.h"
#include "engine/picture/geometry.h"

namespace headlight {

using Point = PointOf<double>;
using Box = BoxOf<double>;

// A rectangle of cells. Its sides are multiples of the grid, and so is each cell of a panel.
struct MapItem {
  Box box;
  MatrixView cells;
  std::shared_ptr<const Tensor> owned;  // what `cells` views, where the layout made it
  ValueRange range;                     // of the cells as they are here: always linear
  bool gaps = false;
  Colormap colormap = Colormap::dusk;
  std::shared_ptr<const Image> picture = nullptr;  // drawn instead of the cells, each pixel a block

  double cell_width() const { return box.width / static_cast<double>(cells.columns); }
  double cell_height() const { return box.height / static_cast<double>(cells.rows); }
};

struct FillItem {
  Box box;
  Color color;
};

// A straight line of `width` points, as strong as `opacity`: 0 to 1.
struct LineItem {
  Point from;
  Point to;
  double width = 0;
  Color color;
  double opacity = 1;
};

enum class Align { left, middle, right };

// How much of a line lies before the point that it is aligned to.
constexpr double align_factor(Align align) {
  return 0.5 * static_cast<int>(align);
}

// Which row or column of which map a text names.
struct LabelOf {
  std::size_t map = 0;
  bool of_row = true;
  Index position = 0;  // among the map's rows or columns as they are drawn
};

struct TextItem {
  Point origin;  // the start of the baseline
  TextLine line;
  Color color;
  bool upward = false;        // turned 90° to read from below
  Align align = Align::left;  // the point that was meant, for who sets it in another font
  std::optional<LabelOf> label;

  // The point that it is aligned to.
  Point anchor() const {
    const double before = align_factor(align) * line.width;
    return upward ? Point{origin.x, origin.y - before} : Point{origin.x + before, origin.y};
  }
};

// Painted in this order: ground, maps, fills, lines, texts.
struct Page {
  double width = 0, height = 0;
  bool transparent = false;  // no white below everything
  std::vector<MapItem> maps;
  std::vector<FillItem> fills;
  std::vector<LineItem> lines;
  std::vector<TextItem> texts;
  // Of the words of rows and of columns each so-manyth stands.
  Index row_labels_step = 1, column_labels_step = 1;
};

// "Labels name one query in 9 and one key in 9."; empty where all of them stand.
std::string thinning_note(const Figure& figure, const Page& page);

// The grid of formats that have no pixels: no edge is further from where it should be than a hundredth of a millimetre.
inline constexpr double vector_grid = 0.05;

// Between cells that are large enough to have a gap.
inline constexpr double gap_points = 0.5;

// Hatching on paper is finer than on screen: 4 points from line to line.
inline constexpr double hatch_scale = 0.5;

// `grid` is the length, in points, that edges are snapped to: a device pixel, where there are pixels.
// Errors as of render_png().
Result<Page> lay_out(const Figure& figure, const PageOptions& options, const FontSet& fonts, double grid);

}  // namespace headlight
