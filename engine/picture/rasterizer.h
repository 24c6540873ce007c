// Draws a matrix as a heatmap into memory: the figure's back end, and the exact reference that the window's shader is
// tested against.
//
// The rule, for a map of R × C cells in a rectangle at (left, top) of width × height device pixels. Of a pixel, x and y
// are whole numbers counted from the rectangle's corner:
//   column = ⌊(x + ½) · C / width⌋ = (2x + 1) · C div (2 · width), in integers; row likewise with y, R and height.
//   gap:     the pixel is canvas where pixel x + gap lies in another column and x's is not the last; likewise y.
//   masked (−∞):         s = (x + y) mod period, hatch line over hatch ground
//   broken (NaN, +∞):    s = (x − y) mod period, not negative, stripe line over stripe ground
//     coverage of the line = clamp(½ · thickness + ½ − |s − ½ · period| / √2, 0, 1)
//   else:    t = value · scale + offset in float32 (normalisation()), clamped to 0…1;
//            entry = ⌊t · (N − 1) + ½⌋ of the N = color_table_size entries. As a texture the entry's middle is at
//            (entry + ½) / N; or read it by texelFetch.
// The phase of the lines is fixed to the map, not to the window, so that they do not crawl when the map is scrolled.
// A shader that follows the rule matches within 1 of 255: only t may differ, by a rounding, and neighbouring entries
// differ by no more than 1.
#pragma once

#include "engine/picture/colormap.h"
#include "engine/picture/geometry.h"
#include "engine/picture/image.h"
#include "engine/picture/matrix.h"
#include "engine/picture/value_range.h"

namespace headlight {

// Device pixels. May reach beyond the image: what lies outside is not drawn.
using PixelRect = BoxOf<Index>;

struct HeatmapStyle {
  Color canvas;
  Color hatch_line;
  Color hatch_ground;
  Color stripe_line;
  Color stripe_ground;
  int period = 0;         // device pixels, even
  float hatch_width = 0;  // device pixels, as stripe_width and gap
  float stripe_width = 0;
  Index gap = 0;  // 0: none
  friend bool operator==(const HeatmapStyle&, const HeatmapStyle&) = default;
};

// The constants of heatmap_constants.h at a number of device pixels to the logical pixel. With a gap.
HeatmapStyle light_heatmap_style(double scale);
HeatmapStyle dark_heatmap_style(double scale);

// The gap for cells of this size, in device pixels: style.gap, or 0 where the cells are too small to have one.
Index gap_for_cells(double cell_width, double cell_height, double scale);

// How much of a pixel a hatch line covers; `phase` is s above.
float line_coverage(Index phase, int period, float thickness);

// The colour of one pixel of a cell, (x, y) from the map's corner; gaps aside.
Color cell_color(float value, Index x, Index y, Normalisation normalise, const ColorTable& table,
                 const HeatmapStyle& style);

// Draws `cells`, as they are or pooled, over the whole of `rect`.
void draw_heatmap(Image& image, PixelRect rect, const MatrixView& cells, const ValueRange& range,
                  const ColorTable& table, const HeatmapStyle& style);

}  // namespace headlight
