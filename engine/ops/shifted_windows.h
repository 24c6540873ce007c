// Operations on windows that cut a picture into squares, shifted in a circle: the keys of a pixel are the pixels of its
// square. Liu et al. 2021, Swin Transformer, section 3.2.
//
// Not for windows round each query: those are picture_ops.h.
#pragma once

#include "engine/ops/ops.h"

namespace headlight::ops {

struct ShiftedWindows {
  Index rows = 1, columns = 1;  // of the picture, which `side` divides
  Index side = 1, shift = 0;
  Index only = -1;  // the one pixel that asks; −1: all do

  Index keys() const { return side * side; }
  Index pixel(Index query) const { return only < 0 ? query : only; }
  // The row or column of a pixel in the picture that is rolled by the shift.
  Index rolled_row(Index pixel) const { return (pixel / columns + rows - shift % rows) % rows; }
  Index rolled_column(Index pixel) const { return (pixel % columns + columns - shift % columns) % columns; }
  // The number of a pixel's window, and its place there, row by row in the rolled picture.
  Index window(Index pixel) const { return rolled_row(pixel) / side * (columns / side) + rolled_column(pixel) / side; }
  Index place(Index pixel) const { return rolled_row(pixel) % side * side + rolled_column(pixel) % side; }
  // The pixel that stands at a place of a pixel's window.
  Index pixel_at(Index pixel, Index place) const {
    const Index row = rolled_row(pixel) / side * side + place / side,
                column = rolled_column(pixel) / side * side + place % side;
    return (row + shift) % rows * columns + (column + shift) % columns;
  }
  // The row of the table for a pair of places in one window, the query's times w² plus the key's.
  Index row_of_table(Index pair) const {
    const Index asks = pair / keys(), asked = pair % keys();
    return (asks / side - asked / side + side - 1) * (2 * side - 1) + asks % side - asked % side + side - 1;
  }
  // On which side of the cut in the circle a pixel lies, 3 · rows' + columns'.
  Index region(Index pixel) const {
    const auto part = [this](Index at, Index extent) {
      if (at < extent - side) return 0;
      return at < extent - shift ? 1 : 2;
    };
    return 3 * part(rolled_row(pixel), rows) + part(rolled_column(pixel), columns);
  }
  bool is_across_cut(Index query, Index place) const {
    return shift > 0 && region(pixel(query)) != region(pixel_at(pixel(query), place));
  }
};

// "pixel 17, 31 lies across the cut from pixel 0, 0", of a query and a place in its window.
std::string across_cut_in_words(const ShiftedWindows& windows, Index query, Index place);

// The number of each pixel's window → (H, W).
Operation window_indices(const ShiftedWindows& windows, std::vector<Axis> sides);
// The row of the table for each two places → (w², w²), query's place down.
Operation offset_indices(const ShiftedWindows& windows, std::vector<Axis> places);
// table ((2w − 1)², M) at those rows → (1, M, w², w²), with the axes of `index`.
Operation offset_bias(const Array& table, const Array& index, const ShiftedWindows& windows);
// q (B, M, n_q, d') · k (B, M, HW, d') at the keys of the window → (B, M, n_q, w²).
Operation dot_products_in_windows(const Array& q, const Array& k, const ShiftedWindows& windows, const Axis& keys);
// factor · scores + bias (1, M, w², w²) at the query's place.
Operation scaled_plus_bias_in_windows(const Array& scores, const Array& bias, const ShiftedWindows& windows,
                                      const Factor& factor);
// −∞ where query and key lie on different sides of the cut.
Operation mask_across_cut(const Array& scores, const ShiftedWindows& windows);
// Softmax of those.
Operation softmax_in_windows(const Array& scores, const ShiftedWindows& windows);
// a (B, M, n_q, w²) · v (B, M, HW, d') at the keys of the window → (B, M, n_q, d').
Operation weighted_sum_in_windows(const Array& a, const Array& v, const ShiftedWindows& windows);

}  // namespace headlight::ops
