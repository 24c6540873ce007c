#include "engine/math/math.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

namespace headlight::math {

namespace {

constexpr Index flat_piece = 1 << 15;        // numbers a piece of work that only streams memory
constexpr Index one_piece = Index{1} << 19;  // products of two numbers too few to wake other threads for: some 10 µs

Index pieces_of(Index count, Index limit) {
  return (count + limit - 1) / limit;
}

// How the result of a product is cut up: its panels (across) and its rows (down). The cut may depend on the number of
// threads because the numbers do not depend on the cut.
struct Cut {
  Index panels = 0;
  Index panel_pieces = 0;
  Index row_pieces = 0;
};

Cut cut(const Product& p, Index planes, const Kernels& k, Index threads) {
  constexpr Index room_limit = 1 << 17;  // floats of rearranged panels: half a MiB, to stay in a second-level cache
  constexpr Index columns_limit = 256;   // with room_limit, also what bounds the wait for a cancellation
  constexpr Index rows_limit = 12 * 84;  // many, because each piece rearranges its panels anew
  constexpr Index rows_least = 4 * 14;   // a few register blocks
  const Index wanted = threads == 1 ? 1 : 4 * threads;
  const Index panel_limit = std::max<Index>(1, std::min(room_limit / p.inner, columns_limit) / k.panel);
  Cut cut;
  cut.panels = p.groups * pieces_of(p.columns, k.panel);
  cut.panel_pieces = std::max(pieces_of(cut.panels, panel_limit), std::min(cut.panels, pieces_of(wanted, planes)));
  cut.row_pieces = std::max(pieces_of(p.rows, rows_limit),
                            std::min(pieces_of(p.rows, rows_least), pieces_of(wanted, planes * cut.panel_pieces)));
  return cut;
}

// Carries out `planes` products of the same sizes, whose a, b and out lie one after another in memory.
void multiply_planes(Compute& compute, const Kernels& k, const Product& first, Index planes) {
  const Cut c = cut(first, planes, k, compute.pool().size());
  const Index pieces = planes * c.panel_pieces * c.row_pieces;
  const bool small = planes * first.rows * c.panels * k.panel <= one_piece / first.inner;
  compute.parallel(pieces, small ? pieces : 1, [&](Index begin, Index end) {
    // Pieces differ by one panel and one row at most.
    Tensor room = Tensor::uninitialized({pieces_of(c.panels, c.panel_pieces) * first.inner * k.panel});
    for (Index i = begin; i < end; ++i) {
      const Index down = i % c.row_pieces, across = i / c.row_pieces % c.panel_pieces;
      const Index plane = i / (c.row_pieces * c.panel_pieces);
      Product p = first;
      p.a += plane * p.rows * p.inner;
      p.b += plane * p.inner * p.columns;
      p.out += plane * p.rows * p.columns;
      k.multiply(p, p.rows * down / c.row_pieces, p.rows * (down + 1) / c.row_pieces,
                 c.panels * across / c.panel_pieces, c.panels * (across + 1) / c.panel_pieces, room.data());
    }
  });
}

// Calls body(begin, end) over pieces of a flat range.
template <class Body>
void over_flat(Compute& compute, Index size, Body body) {
  compute.parallel(size, flat_piece, body);
}

// Calls body(begin, end) over pieces of rows of n numbers.
template <class Body>
void over_rows(Compute& compute, Index rows, Index n, Body body) {
  compute.parallel(rows, std::max<Index>(1, flat_piece / n), body);
}

}  // namespace

void project(Compute& compute, const float* x, const float* w, const float* bias, Index batches, Index n, Index d_in,
             Index heads, Index d_head, float* out, const Kernels& set) {
  const Product product{.a = x,  // (B·n, d_in)
                        .b = w,  // (M, d_in, d')
                        .rows = batches * n,
                        .inner = d_in,
                        .columns = d_head,
                        .groups = heads,
                        .bias = bias,
                        .out = out,  // (B, M, n, d')
                        .batch_rows = n,
                        .batch_stride = heads * n * d_head,
                        .group_stride = n * d_head};
  multiply_planes(compute, set, product, 1);
}

void linear(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index d_in, Index d_out,
            bool relu, float* out, const Kernels& set) {
  const Product product{.a = x,
                        .b = w,
                        .rows = rows,
                        .inner = d_in,
                        .columns = d_out,
                        .bias = bias,
                        .relu = relu,
                        .out = out,
                        .batch_rows = rows};
  multiply_planes(compute, set, product, 1);
}

void scores(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index d_head,
            float* out, const Kernels& set) {
  const Product product{
      .a = q, .b = k, .transposed = true, .rows = n_q, .inner = d_head, .columns = n_k, .out = out, .batch_rows = n_q};
  multiply_planes(compute, set, product, planes);
}

void weighted_sum(Compute& compute, const float* a, const float* v, Index planes, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set) {
  const Product product{.a = a, .b = v, .rows = n_q, .inner = n_k, .columns = d_head, .out = out, .batch_rows = n_q};
  multiply_planes(compute, set, product, planes);
}

void add_mask(Compute& compute, const float* scores, const Shape& shape, const float* mask, const Shape& mask_shape,
              float* out) {
  assert(shape.size() == 4 && mask_shape.size() == 4 && mask_shape[3] == shape[3]);
  const Index heads = shape[1], n_q = shape[2], n_k = shape[3];
  // How far the mask moves for the next batch, head and query: not at all where it has one for all of them.
  const Index query_step = mask_shape[2] == 1 ? 0 : n_k;
  const Index head_step = mask_shape[1] == 1 ? 0 : mask_shape[2] * n_k;
  const Index batch_step = mask_shape[0] == 1 ? 0 : mask_shape[1] * mask_shape[2] * n_k;
  over_rows(compute, shape[0] * heads * n_q, n_k, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index i = row % n_q, m = row / n_q % heads, b = row / (n_q * heads);
      const float* added = mask + b * batch_step + m * head_step + i * query_step;
      const float* in = scores + row * n_k;
      float* sum = out + row * n_k;
      for (Index j = 0; j < n_k; ++j)
        sum[j] = added[j] == -std::numeric_limits<float>::infinity() ? added[j] : in[j] + added[j];
    }
  });
}

std::vector<Index> softmax(Compute& compute, const float* in, Index rows, Index n, float* out, const Kernels& set) {
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  std::mutex mutex;
  std::vector<Index> blind;
  over_rows(compute, rows, n, [&](Index begin, Index end) {
    std::vector<Index> here;
    for (Index row = begin; row < end; ++row)
      if (std::all_of(in + row * n, in + (row + 1) * n, [](float x) { return x == hidden; })) here.push_back(row);
    set.softmax(in + begin * n, end - begin, n, out + begin * n);
    if (here.empty()) return;
    const std::scoped_lock lock(mutex);
    blind.insert(blind.end(), here.begin(), here.end());
  });
  std::ranges::sort(blind);  // pieces finish in any order
  return blind;
}

void layer_norm(Compute& compute, const float* x, const float* gamma, const float* beta, Index rows, Index d,
                float epsilon, float* out, const Kernels& set) {
  over_rows(compute, rows, d, [&](Index begin, Index end) {
    set.layer_norm(x + begin * d, gamma, beta, end - begin, d, epsilon, out + begin * d);
  });
}

void concat_heads(Compute& compute, const float* heads, Index batches, Index head_count, Index n, Index d_head,
                  float* out) {
  over_rows(compute, batches * n, head_count * d_head, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index b = row / n, i = row % n;
      for (Index m = 0; m < head_count; ++m)
        std::copy_n(heads + ((b * head_count + m) * n + i) * d_head, d_head, out + (row * head_count + m) * d_head);
    }
  });
}

void add(Compute& compute, const float* a, const float* b, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] + b[i];
  });
}

void scale(Compute& compute, const float* a, float factor, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * factor;
  });
}

void dropout(Compute& compute, const float* a, const float* kept, float factor, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * kept[i] * factor;
  });
}

void tanh_of_sums(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index h,
                  float* out) {
  compute.parallel(planes * n_q, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      for (Index j = 0; j < n_k; ++j) {
        const float* key = k + (row / n_q * n_k + j) * h;
        float* to = out + (row * n_k + j) * h;
        for (Index c = 0; c < h; ++c) to[c] = std::tanh(q[row * h + c] + key[c]);
      }
  });
}

void relu(Compute& compute, const float* a, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] < 0 ? 0 : a[i];  // NaN stays NaN
  });
}

void transpose(Compute& compute, const float* x, Index batches, Index rows, Index columns, float* out) {
  over_rows(compute, batches * columns, rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const float* from = x + i / columns * rows * columns + i % columns;
      for (Index r = 0; r < rows; ++r) out[i * rows + r] = from[r * columns];
    }
  });
}

void pointwise(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index c_in, Index c_out,
               float* out, const Kernels& set) {
  const Product product{.a = x,
                        .b = w,
                        .transposed = true,
                        .rows = rows,
                        .inner = c_in,
                        .columns = c_out,
                        .bias = bias,
                        .out = out,
                        .batch_rows = rows};
  multiply_planes(compute, set, product, 1);
}

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
