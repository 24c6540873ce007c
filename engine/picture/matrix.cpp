#include "engine/picture/matrix.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {

MatrixView matrix_at(const Tensor& tensor, std::span<const Index> leading) {
  const Index rank = tensor.rank();
  assert(static_cast<Index>(leading.size()) == std::max<Index>(0, rank - 2));
  Index slice = 0;
  for (std::size_t axis = 0; axis < leading.size(); ++axis) {
    assert(leading[axis] >= 0 && leading[axis] < tensor.dim(static_cast<Index>(axis)));
    slice = slice * tensor.dim(static_cast<Index>(axis)) + leading[axis];
  }
  const Index rows = rank >= 2 ? tensor.dim(-2) : 1;
  const Index columns = rank >= 1 ? tensor.dim(-1) : tensor.size();
  return {tensor.data() + slice * rows * columns, rows, columns, columns, 1};
}

MatrixView transposed(const MatrixView& matrix) {
  return {matrix.data, matrix.columns, matrix.rows, matrix.column_stride, matrix.row_stride};
}

Tensor hide_masked(const MatrixView& values, const MatrixView& scores) {
  const auto counts = [](float value) { return value != 0 && std::isfinite(value); };
  // Also by a mask of large numbers, as −1e9 or float32's least, to which a score adds nothing.
  constexpr float hides = -5e8F;
  const auto is_hidden = [](float score) { return is_masked(score) || score <= hides; };
  assert(values.rows == scores.rows && values.columns == scores.columns);
  Tensor cells = Tensor::uninitialized({values.rows, values.columns});
  float* cell = cells.data();
  for (Index row = 0; row < values.rows; ++row) {
    for (Index column = 0; column < values.columns; ++column) {
      const float value = values.at(row, column);
      *cell++ = is_hidden(scores.at(row, column)) && !counts(value) ? masked_value : value;
    }
  }
  return cells;
}

Tensor subtracted(const MatrixView& a, const MatrixView& b, bool masked_is_zero) {
  assert(a.rows == b.rows && a.columns == b.columns);
  Tensor cells = Tensor::uninitialized({a.rows, a.columns});
  float* cell = cells.data();
  for (Index row = 0; row < a.rows; ++row) {
    for (Index column = 0; column < a.columns; ++column) {
      const float x = a.at(row, column), y = b.at(row, column);
      const bool masked = masked_is_zero ? is_masked(x) && is_masked(y) : is_masked(x) || is_masked(y);
      const float change = (is_masked(x) ? 0.0F : x) - (is_masked(y) ? 0.0F : y);
      *cell++ = masked ? masked_value : change;
    }
  }
  return cells;
}

}  // namespace headlight
