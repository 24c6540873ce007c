#include "engine/math/math.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <mutex>

namespace headlight::math {

namespace {

constexpr Index row_piece = 84;              // rows of a product a piece: a multiple of every register block (6 and 14)
constexpr Index column_piece = 256;          // columns a piece
constexpr Index flat_piece = 1 << 15;        // numbers a piece of work that only streams memory
constexpr Index one_piece = Index{1} << 19;  // products (a · b) too few to wake other threads for: some 10 µs

// Number of pieces of at most `limit`, and where a piece begins when their sizes are to differ by one at most.
Index pieces_of(Index count, Index limit) {
  return (count + limit - 1) / limit;
}
Index begin_of(Index piece, Index pieces, Index count) {
  return count * piece / pieces;
}

// Packs `planes` matrices (inner, columns), each transposed in memory where `transposed`.
Tensor pack_planes(Compute& compute, const Kernels& k, const float* b, Index planes, Index inner, Index columns,
                   bool transposed) {
  const Index size = packed_size(k, inner, columns);
  Tensor packed = Tensor::uninitialized({planes * size});
  const Index row_stride = transposed ? 1 : columns, column_stride = transposed ? inner : 1;
  const Index panels = panels_of(k, columns), count = planes * panels;
  const Index grain = std::max<Index>(1, flat_piece / (inner * k.panel));
  compute.parallel(count, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index plane = i / panels, column = i % panels * k.panel;
      k.pack(b + plane * inner * columns + column * column_stride, inner, std::min(k.panel, columns - column),
             row_stride, column_stride, packed.data() + plane * size + column * inner);
    }
  });
  return packed;
}

// Carries `planes` products out, each of `rows` rows and `groups` groups; product_of(plane) describes one.
template <class ProductOf>
void multiply_planes(Compute& compute, const Kernels& k, Index planes, Index rows, Index groups, ProductOf product_of) {
  const Product any = product_of(0);
  const Index panels = groups * panels_of(k, any.columns);
  const Index row_pieces = pieces_of(rows, row_piece);
  const Index panel_pieces = pieces_of(panels, std::max<Index>(1, column_piece / k.panel));
  const Index pieces = planes * panel_pieces * row_pieces;
  const bool small = planes * rows * panels * k.panel <= one_piece / any.inner;
  compute.parallel(pieces, small ? pieces : 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {  // rows are innermost: the panels stay in the cache
      const Index row = i % row_pieces, column = i / row_pieces % panel_pieces, plane = i / (row_pieces * panel_pieces);
      k.multiply(product_of(plane), begin_of(row, row_pieces, rows), begin_of(row + 1, row_pieces, rows),
                 begin_of(column, panel_pieces, panels), begin_of(column + 1, panel_pieces, panels));
    }
  });
}

// a (planes, rows, inner) · b (planes, inner, columns), or its transpose → out (planes, rows, columns).
void multiply_batched(Compute& compute, const Kernels& k, const float* a, const float* b, bool transposed, Index planes,
                      Index rows, Index inner, Index columns, float* out) {
  const Tensor packed = pack_planes(compute, k, b, planes, inner, columns, transposed);
  const Index size = packed_size(k, inner, columns);
  multiply_planes(compute, k, planes, rows, 1, [&](Index plane) {
    return Product{.a = a + plane * rows * inner,
                   .inner = inner,
                   .packed = packed.data() + plane * size,
                   .columns = columns,
                   .out = out + plane * rows * columns,
                   .batch_rows = rows};
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
  const Tensor packed = pack_planes(compute, set, w, heads, d_in, d_head, false);
  multiply_planes(compute, set, 1, batches * n, heads, [&](Index) {
    return Product{.a = x,  // (B·n, d_in)
                   .inner = d_in,
                   .packed = packed.data(),  // M × (d_in, d')
                   .columns = d_head,
                   .bias = bias,
                   .out = out,  // (B, M, n, d')
                   .batch_rows = n,
                   .batch_stride = heads * n * d_head,
                   .group_stride = n * d_head};
  });
}

void linear(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index d_in, Index d_out,
            bool relu, float* out, const Kernels& set) {
  const Tensor packed = pack_planes(compute, set, w, 1, d_in, d_out, false);
  multiply_planes(compute, set, 1, rows, 1, [&](Index) {
    return Product{.a = x,
                   .inner = d_in,
                   .packed = packed.data(),
                   .columns = d_out,
                   .bias = bias,
                   .relu = relu,
                   .out = out,
                   .batch_rows = rows};
  });
}

void scores(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index d_head,
            float* out, const Kernels& set) {
  multiply_batched(compute, set, q, k, true, planes, n_q, d_head, n_k, out);
}

void weighted_sum(Compute& compute, const float* a, const float* v, Index planes, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set) {
  multiply_batched(compute, set, a, v, false, planes, n_q, n_k, d_head, out);
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

void relu(Compute& compute, const float* a, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] < 0 ? 0 : a[i];  // NaN stays NaN
  });
}

}  // namespace headlight::math
