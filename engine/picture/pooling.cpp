#include "engine/picture/pooling.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {

namespace {

// Both orders are total once NaN and −∞ are set apart, so the result does not depend on the way a block is walked.
// Selections and no branches, so that a loop over rows becomes vector instructions.
template <Pooling pooling>
float winner(float a, float b) {
  float best = a > b ? a : b;  // −∞ loses to all
  if constexpr (pooling == Pooling::magnitude) {
    const float size_a = is_masked(a) ? -1.0F : std::abs(a), size_b = is_masked(b) ? -1.0F : std::abs(b);
    best = size_a > size_b ? a : best;
    best = size_b > size_a ? b : best;
  }
  best = b != b ? b : best;
  return a != a ? a : best;
}

template <Pooling pooling>
Tensor pooled_by(const MatrixView& matrix, Block block) {
  const Index rows = (matrix.rows + block.rows - 1) / block.rows;
  const Index columns = (matrix.columns + block.columns - 1) / block.columns, stride = matrix.column_stride;
  Tensor cells = Tensor::uninitialized({rows, columns});
  Tensor of_rows = Tensor::uninitialized({matrix.columns});  // the winners of a block of rows, column by column
  float* best = of_rows.data();
  for (Index row = 0; row < rows; ++row) {
    std::fill_n(best, matrix.columns, masked_value);
    for (Index from = row * block.rows; from < std::min(matrix.rows, (row + 1) * block.rows); ++from) {
      const float* values = matrix.data + from * matrix.row_stride;
      for (Index c = 0; c < matrix.columns; ++c) best[c] = winner<pooling>(best[c], values[c * stride]);
    }
    for (Index column = 0; column < columns; ++column) {
      float value = masked_value;
      const Index end = std::min(matrix.columns, (column + 1) * block.columns);
      for (Index c = column * block.columns; c < end; ++c) value = winner<pooling>(value, best[c]);
      cells[row * columns + column] = value;
    }
  }
  return cells;
}

Index side_for_pixels(Index cells, Index pixels) {
  Index side = 1;
  while ((cells + side - 1) / side > std::max<Index>(1, pixels)) side *= 2;
  return side;
}

}  // namespace

Tensor pooled(const MatrixView& matrix, Block block, Pooling pooling) {
  assert(block.rows >= 1 && block.columns >= 1);
  return pooling == Pooling::maximum ? pooled_by<Pooling::maximum>(matrix, block)
                                     : pooled_by<Pooling::magnitude>(matrix, block);
}

Block block_for_pixels(Index rows, Index columns, Index width, Index height) {
  return {side_for_pixels(rows, height), side_for_pixels(columns, width)};
}

std::string pooling_text(Block block, Pooling pooling) {
  if (block.single()) return "";
  return fmt::format("1 px = {}×{}, {}", block.rows, block.columns, pooling == Pooling::maximum ? "max" : "max |x|");
}

}  // namespace headlight
