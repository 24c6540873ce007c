// The same functions as math.h in the plainest way, in double precision: what tests compare with. Not for use
// elsewhere.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::math::reference {

using Numbers = std::vector<double>;

// a (rows, inner) · b (inner, columns) + bias (columns, or empty).
inline Numbers product(const Numbers& a, const Numbers& b, const Numbers& bias, Index rows, Index inner,
                       Index columns) {
  Numbers out(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < columns; ++c) {
      double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(c)];
      for (Index k = 0; k < inner; ++k)
        sum += a[static_cast<std::size_t>(i * inner + k)] * b[static_cast<std::size_t>(k * columns + c)];
      out[static_cast<std::size_t>(i * columns + c)] = sum;
    }
  return out;
}

inline Numbers transposed(const Numbers& a, Index rows, Index columns) {
  Numbers out(a.size());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      out[static_cast<std::size_t>(j * rows + i)] = a[static_cast<std::size_t>(i * columns + j)];
  return out;
}

inline Numbers softmax(const Numbers& row) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double x : row) largest = std::max(largest, x);
  Numbers out(row.size(), 0.0);
  if (largest == -std::numeric_limits<double>::infinity()) return out;
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += out[j] = std::exp(row[j] - largest);
  for (double& x : out) x /= sum;
  return out;
}

}  // namespace headlight::math::reference
