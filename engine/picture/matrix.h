// A rectangle of numbers inside a tensor, as every picture draws it: rows down, columns across.
//
// In a picture −∞ means masked and NaN means "not a number": whoever draws a step in which −∞ is an accident, or whose
// masked cells hold 0, makes the cells with hide_masked() or by hand first.
#pragma once

#include <initializer_list>
#include <limits>
#include <span>

#include "engine/core/tensor.h"

namespace headlight {

// Borrows: the tensor must outlive it.
struct MatrixView {
  const float* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 0;     // elements from a cell to the one below
  Index column_stride = 1;  // elements from a cell to the one at its right

  float at(Index row, Index column) const { return data[row * row_stride + column * column_stride]; }
  bool empty() const { return rows == 0 || columns == 0; }
};

// The last two axes of a tensor at an index of all axes before them: {b, m} of (B, M, n_q, n_k) is a head, {b} of
// (B, n, d) a sequence. A tensor of rank 1 is one row, of rank 0 one cell.
MatrixView matrix_at(const Tensor& tensor, std::span<const Index> leading);
inline MatrixView matrix_at(const Tensor& tensor, std::initializer_list<Index> leading) {
  return matrix_at(tensor, std::span<const Index>(leading.begin(), leading.size()));
}

MatrixView transposed(const MatrixView& matrix);

inline constexpr float masked_value = -std::numeric_limits<float>::infinity();

inline bool is_masked(float value) {
  return value == masked_value;
}
// NaN and +∞: a number that went wrong.
inline bool is_broken(float value) {
  return !(value < std::numeric_limits<float>::infinity());
}

// (rows, columns): `values`, but −∞ where `scores`, of the same extents, is masked. Weights after softmax are 0 there,
// and a picture must tell the two apart; one that was set by hand to another number is shown.
Tensor hide_masked(const MatrixView& values, const MatrixView& scores);

// (rows, columns): a − b, of one size. Masked where both are, or, unless masked cells count as 0 as weights do, where
// either is.
Tensor subtracted(const MatrixView& a, const MatrixView& b, bool masked_is_zero);

}  // namespace headlight
