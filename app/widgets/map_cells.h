// Where the cells of a map lie on the screen, by the rasterizer's rule, for what is drawn over and beside them.
#pragma once

#include <algorithm>
#include <cmath>

#include "app/platform/theme.h"
#include "app/widgets/geometry.h"
#include "engine/picture/color.h"
#include "engine/picture/matrix.h"

namespace headlight::app {

inline Rect rounded(Rect r) {
  const float x = std::round(r.x), y = std::round(r.y);
  return {x, y, std::round(r.right()) - x, std::round(r.bottom()) - y};
}

// Where the pixels of a cell begin, by the rasterizer's rule: the first x with ⌊(2x + 1) · cells / (2 · pixels)⌋ =
// cell.
inline float cell_start(Index cell, Index cells, float pixels) {
  return std::ceil((2 * static_cast<float>(cell) * pixels / static_cast<float>(cells) - 1) / 2);
}

inline Rect cell_rect(Rect map, const MatrixView& cells, Index row, Index column) {
  const float x = cell_start(column, cells.columns, map.w), y = cell_start(row, cells.rows, map.h);
  return {map.x + x, map.y + y, cell_start(column + 1, cells.columns, map.w) - x,
          cell_start(row + 1, cells.rows, map.h) - y};
}

inline Index position_at(float offset, float pixels, Index cells) {
  const auto x = static_cast<Index>(std::floor(offset));
  return std::clamp<Index>((2 * x + 1) * cells / (2 * static_cast<Index>(pixels)), 0, cells - 1);
}

// Every how many-th label fits when each takes `needed` of `available`: 1, 2, 5, 10, 20, 50 …
inline Index label_stride(float available, float needed) {
  Index stride = 1;
  for (int i = 0; static_cast<float>(stride) * available < needed && i < 40; ++i)
    stride = i % 3 == 1 ? stride / 2 * 5 : stride * 2;
  return stride;
}

inline Color32 color32(Color c) {
  return 0xFF000000U | (static_cast<Color32>(c.b) << 16) | (static_cast<Color32>(c.g) << 8) | c.r;
}

}  // namespace headlight::app
