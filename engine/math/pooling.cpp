// The functions of math.h that pictures alone need.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math/math.h"
#include "engine/math/pieces.h"

namespace headlight::math {

namespace {

// out[c] = the larger of both; a NaN stays.
void take_larger(const float* x, Index channels, float* out) {
  for (Index c = 0; c < channels; ++c)
    if (x[c] > out[c] || std::isnan(x[c])) out[c] = x[c];
}

}  // namespace

void max_pool(Compute& compute, const float* x, Index batches, const Grid& grid, const Grid& cell, Index channels,
              float* out) {
  const Grid pooled{grid.frames / cell.frames, grid.rows / cell.rows, grid.columns / cell.columns};
  const Index positions = grid.frames * grid.rows * grid.columns;
  const Index n = pooled.frames * pooled.rows * pooled.columns;
  over_rows(compute, batches * n, cell.frames * cell.rows * cell.columns * channels, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index j = row % n;
      const Index frame = j / (pooled.rows * pooled.columns) * cell.frames;
      const Index top = j / pooled.columns % pooled.rows * cell.rows, left = j % pooled.columns * cell.columns;
      float* largest = out + row * channels;
      std::fill_n(largest, channels, -std::numeric_limits<float>::infinity());
      for (Index t = frame; t < frame + cell.frames; ++t)
        for (Index h = top; h < top + cell.rows; ++h)
          for (Index w = left; w < left + cell.columns; ++w) {
            const Index position = (t * grid.rows + h) * grid.columns + w;
            take_larger(x + (row / n * positions + position) * channels, channels, largest);
          }
    }
  });
}

void batch_norm(Compute& compute, const float* x, const float* gamma, const float* beta, const float* mean,
                const float* variance, double epsilon, Index batches, Index channels, Index n, float* out) {
  over_flat(compute, batches * channels * n, [&](Index begin, Index end) {
    for (Index i = begin; i < end;) {
      const Index c = i / n % channels, stop = std::min(end, (i / n + 1) * n);
      const auto stretch = static_cast<float>(gamma[c] / std::sqrt(variance[c] + epsilon));
      for (; i < stop; ++i) out[i] = (x[i] - mean[c]) * stretch + beta[c];
    }
  });
}

void relu_of_sums(Compute& compute, const float* a, const float* b, Index planes, Index n_q, Index n_k, float* out) {
  over_rows(compute, planes * n_q, n_k, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const float* of_keys = b + row / n_q * n_k;
      for (Index j = 0; j < n_k; ++j) {
        const float sum = a[row] + of_keys[j];
        out[row * n_k + j] = sum < 0 ? 0 : sum;  // NaN stays NaN
      }
    }
  });
}

}  // namespace headlight::math
