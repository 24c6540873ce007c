// math.h's functions in the plainest way, in double precision: what tests compare with. Not for use elsewhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/axis.h"
#include "engine/core/tensor.h"

namespace headlight::math::reference {

// An array in C order that is indexed by signed numbers.
struct Numbers {
  std::vector<double> values;

  Numbers() = default;
  explicit Numbers(Index size) : values(static_cast<std::size_t>(size)) {}
  explicit Numbers(const std::vector<float>& from) : values(from.begin(), from.end()) {}
  double& operator[](Index i) { return values[static_cast<std::size_t>(i)]; }
  double operator[](Index i) const { return values[static_cast<std::size_t>(i)]; }
  Index size() const { return static_cast<Index>(values.size()); }
};

// x (B, n, d_in) · w (M, d_in, d') + bias (M, d'), or empty → (B, M, n, d').
inline Numbers project(const Numbers& x, const Numbers& w, const Numbers& bias, Index batches, Index n, Index d_in,
                       Index heads, Index d_head) {
  Numbers out(batches * heads * n * d_head);
  for (Index b = 0; b < batches; ++b)
    for (Index m = 0; m < heads; ++m)
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < d_head; ++c) {
          double sum = bias.size() == 0 ? 0 : bias[m * d_head + c];
          for (Index k = 0; k < d_in; ++k) sum += x[(b * n + i) * d_in + k] * w[(m * d_in + k) * d_head + c];
          out[((b * heads + m) * n + i) * d_head + c] = sum;
        }
  return out;
}

// x (rows, d_in) · w (d_in, d_out) + bias (d_out), or empty → (rows, d_out).
inline Numbers linear(const Numbers& x, const Numbers& w, const Numbers& bias, Index rows, Index d_in, Index d_out,
                      bool relu) {
  Numbers out = project(x, w, bias, 1, rows, d_in, 1, d_out);
  if (relu)
    for (double& y : out.values) y = y < 0 ? 0 : y;
  return out;
}

// q (planes, n_q, d') · kᵀ (planes, n_k, d') → (planes, n_q, n_k).
inline Numbers scores(const Numbers& q, const Numbers& k, Index planes, Index n_q, Index n_k, Index d_head) {
  Numbers out(planes * n_q * n_k);
  for (Index p = 0; p < planes; ++p)
    for (Index i = 0; i < n_q; ++i)
      for (Index j = 0; j < n_k; ++j)
        for (Index c = 0; c < d_head; ++c)
          out[(p * n_q + i) * n_k + j] += q[(p * n_q + i) * d_head + c] * k[(p * n_k + j) * d_head + c];
  return out;
}

// a (planes, n_q, n_k) · v (planes, n_k, d') → (planes, n_q, d').
inline Numbers weighted_sum(const Numbers& a, const Numbers& v, Index planes, Index n_q, Index n_k, Index d_head) {
  Numbers out(planes * n_q * d_head);
  for (Index p = 0; p < planes; ++p)
    for (Index i = 0; i < n_q; ++i)
      for (Index c = 0; c < d_head; ++c)
        for (Index j = 0; j < n_k; ++j)
          out[(p * n_q + i) * d_head + c] += a[(p * n_q + i) * n_k + j] * v[(p * n_k + j) * d_head + c];
  return out;
}

// scores (B, M, n_q, n_k) + mask (B|1, M|1, n_q|1, n_k); −∞ in the mask wins.
inline Numbers add_mask(const Numbers& scores, const Shape& shape, const Numbers& mask, const Shape& mask_shape) {
  Numbers out(scores.size());
  for (Index cell = 0; cell < scores.size(); ++cell) {
    std::vector<Index> at = index_at_flat(shape, cell);
    for (std::size_t axis = 0; axis < 4; ++axis)
      if (mask_shape[axis] == 1) at[axis] = 0;
    const double added = mask[flat_at_index(mask_shape, at)];
    out[cell] = std::isinf(added) && added < 0 ? added : scores[cell] + added;
  }
  return out;
}

// Softmax of each row of n; a row of −∞ alone becomes 0, one with a NaN or +∞ becomes NaN.
inline Numbers softmax(const Numbers& in, Index rows, Index n) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Numbers out(in.size());
  for (Index row = 0; row < rows; ++row) {
    double largest = -infinity;
    for (Index j = 0; j < n; ++j) largest = std::max(largest, in[row * n + j]);
    if (largest == -infinity && std::none_of(in.values.begin() + row * n, in.values.begin() + (row + 1) * n,
                                             [](double x) { return std::isnan(x); }))
      continue;
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += out[row * n + j] = std::exp(in[row * n + j] - largest);
    for (Index j = 0; j < n; ++j) out[row * n + j] /= sum;
  }
  return out;
}

// (x − mean) / √(variance + epsilon) · gamma + beta over each row of d.
inline Numbers layer_norm(const Numbers& x, const Numbers& gamma, const Numbers& beta, Index rows, Index d,
                          double epsilon) {
  Numbers out(x.size());
  const double count = static_cast<double>(d);
  for (Index row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (Index c = 0; c < d; ++c) mean += x[row * d + c] / count;
    for (Index c = 0; c < d; ++c) variance += (x[row * d + c] - mean) * (x[row * d + c] - mean) / count;
    for (Index c = 0; c < d; ++c)
      out[row * d + c] = (x[row * d + c] - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
  }
  return out;
}

// heads (B, M, n, d') → (B, n, M·d').
inline Numbers concat_heads(const Numbers& heads, Index batches, Index head_count, Index n, Index d_head) {
  Numbers out(heads.size());
  for (Index cell = 0; cell < heads.size(); ++cell) {
    const auto at = index_at_flat({batches, head_count, n, d_head}, cell);
    out[((at[0] * n + at[2]) * head_count + at[1]) * d_head + at[3]] = heads[cell];
  }
  return out;
}

// x (batches, rows, columns) → (batches, columns, rows).
inline Numbers transpose(const Numbers& x, Index batches, Index rows, Index columns) {
  Numbers out(x.size());
  for (Index b = 0; b < batches; ++b)
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c) out[(b * columns + c) * rows + r] = x[(b * rows + r) * columns + c];
  return out;
}

// x (batches, positions of grid, channels) → (batches, positions of the pooled grid, channels), without NaN.
inline Numbers max_pool(const Numbers& x, Index batches, const Grid& grid, const Grid& cell, Index channels) {
  const Grid pooled{grid.frames / cell.frames, grid.rows / cell.rows, grid.columns / cell.columns};
  Numbers out(batches * pooled.frames * pooled.rows * pooled.columns * channels);
  std::ranges::fill(out.values, -std::numeric_limits<double>::infinity());
  const Shape from{batches, grid.frames, grid.rows, grid.columns, channels};
  const Shape to{batches, pooled.frames, pooled.rows, pooled.columns, channels};
  for (Index i = 0; i < x.size(); ++i) {
    auto at = index_at_flat(from, i);
    at[1] /= cell.frames;
    at[2] /= cell.rows;
    at[3] /= cell.columns;
    if (at[1] == to[1] || at[2] == to[2] || at[3] == to[3]) continue;  // left over
    double& largest = out[flat_at_index(to, at)];
    largest = std::max(largest, x[i]);
  }
  return out;
}

// (x − mean) / √(variance + epsilon) · gamma + beta for each channel of x (batches, channels, n).
inline Numbers batch_norm(const Numbers& x, const Numbers& gamma, const Numbers& beta, const Numbers& mean,
                          const Numbers& variance, double epsilon, Index n) {
  Numbers out(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    const Index c = i / n % gamma.size();
    out[i] = (x[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * gamma[c] + beta[c];
  }
  return out;
}

// max(0, a_i + b_j) for each of `planes` pairs of a (n_q) and b (n_k).
inline Numbers relu_of_sums(const Numbers& a, const Numbers& b, Index planes, Index n_q, Index n_k) {
  Numbers out(planes * n_q * n_k);
  for (Index i = 0; i < out.size(); ++i) out[i] = std::max(0.0, a[i / n_k] + b[i / (n_q * n_k) * n_k + i % n_k]);
  return out;
}

}  // namespace headlight::math::reference
