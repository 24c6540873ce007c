#include "engine/picture/pyramid.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {

namespace {

// Both orders are total once NaN and −∞ are set apart, so the result does not depend on the way a block is walked.
float winner(float a, float b, Pooling pooling) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  if (is_masked(a)) return b;
  if (is_masked(b)) return a;
  if (pooling == Pooling::magnitude && std::abs(a) != std::abs(b)) return std::abs(a) > std::abs(b) ? a : b;
  return std::max(a, b);
}

float pooled_cell(const MatrixView& matrix, Index first_row, Index first_column, Block block, Pooling pooling) {
  float value = masked_value;
  const Index last_row = std::min(matrix.rows, first_row + block.rows);
  const Index last_column = std::min(matrix.columns, first_column + block.columns);
  for (Index row = first_row; row < last_row; ++row) {
    for (Index column = first_column; column < last_column; ++column) {
      value = winner(value, matrix.at(row, column), pooling);
    }
  }
  return value;
}

Index side_for_pixels(Index cells, Index pixels) {
  Index side = 1;
  while ((cells + side - 1) / side > std::max<Index>(1, pixels)) side *= 2;
  return side;
}

}  // namespace

Tensor pooled(const MatrixView& matrix, Block block, Pooling pooling) {
  assert(block.rows >= 1 && block.columns >= 1);
  const Index rows = (matrix.rows + block.rows - 1) / block.rows;
  const Index columns = (matrix.columns + block.columns - 1) / block.columns;
  Tensor cells = Tensor::uninitialized({rows, columns});
  for (Index row = 0; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column) {
      cells[row * columns + column] = pooled_cell(matrix, row * block.rows, column * block.columns, block, pooling);
    }
  }
  return cells;
}

Block block_for_pixels(Index rows, Index columns, Index width, Index height) {
  return {side_for_pixels(rows, height), side_for_pixels(columns, width)};
}

std::string pooling_text(Block block, Pooling pooling) {
  if (block.single()) return "";
  return fmt::format("1 px = {}×{}, {}", block.rows, block.columns, pooling == Pooling::maximum ? "max" : "max |x|");
}

MatrixView Pyramid::level(Index index) const {
  assert(index >= 0 && index < levels());
  return index == 0 ? base : matrix_at(coarser[static_cast<std::size_t>(index - 1)], {});
}

Block Pyramid::block(Index index) const {
  const Index side = Index{1} << index;
  return {std::min(side, std::max<Index>(1, base.rows)), std::min(side, std::max<Index>(1, base.columns))};
}

Pyramid build_pyramid(const MatrixView& matrix, Pooling pooling) {
  Pyramid pyramid{matrix, pooling, {}};
  for (MatrixView finest = matrix; finest.rows > 1 || finest.columns > 1;) {
    if (finest.empty()) break;
    pyramid.coarser.push_back(pooled(finest, {2, 2}, pooling));
    finest = pyramid.level(pyramid.levels() - 1);
  }
  return pyramid;
}

Index level_for_pixels(const Pyramid& pyramid, Index width, Index height) {
  for (Index index = 0; index < pyramid.levels(); ++index) {
    const MatrixView level = pyramid.level(index);
    if (level.columns <= width && level.rows <= height) return index;
  }
  return pyramid.levels() - 1;
}

}  // namespace headlight
