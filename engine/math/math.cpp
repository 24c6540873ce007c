#include "engine/math/math.h"

#include <algorithm>

#include "engine/math/pieces.h"

namespace headlight::math {

namespace {

constexpr Index one_piece = Index{1} << 19;  // products of two numbers too few to wake other threads for: some 10 µs

Index pieces_of(Index count, Index limit) {
  return (count + limit - 1) / limit;
}

// How a product is cut into pieces of work. It depends on the sizes alone, never on the number of threads, because the
// order of a sum, and with it the last bits of a number, may depend on where it stands in its piece.
struct Cut {
  Index rows;
  Index columns;
};

// The extent of parts that are as long as each other and at most so long, in whole steps.
Index even_part(Index extent, Index most, Index step) {
  const Index parts = pieces_of(extent, most);
  return pieces_of(pieces_of(extent, parts), step) * step;
}

// Each piece brings its rows of a and its columns of b into order anew: the larger it is both ways, the less that
// weighs. Where sums are short it is the result that has to stay in cache.
Cut cut(const Product& p) {
  constexpr Index short_sum = 256, columns = 384, few_rows = 4, registers = 16;
  return {even_part(p.rows, p.inner < short_sum ? 128 : 256, few_rows), even_part(p.columns, columns, registers)};
}

// `count` products of one size, whose a, b and out lie `…_step` numbers apart. With `heads` above 0, that many products
// in turn share one a, and each has its own b, the same for every a.
struct Planes {
  Index count = 1;
  Index heads = 0;
  Index a_step = 0;
  Index b_step = 0;
  Index bias_step = 0;
  Index out_step = 0;
};

// Calls body(piece, row, column) for the pieces that `whole` is cut into on each plane, which begin there in it.
template <class Body>
void each_piece(Compute& compute, const Product& whole, const Planes& planes, const Body& body) {
  const Cut c = cut(whole);
  const Index down = pieces_of(whole.rows, c.rows), across = pieces_of(whole.columns, c.columns);
  const Index work = std::min(whole.rows, c.rows) * c.columns * whole.inner;
  compute.parallel_each(planes.count * down * across, std::max<Index>(1, one_piece / work), [&](Index i) {
    const Index plane = i / (down * across), row = i / across % down * c.rows, column = i % across * c.columns;
    Product p = whole;
    p.rows = std::min(c.rows, whole.rows - row);
    p.columns = std::min(c.columns, whole.columns - column);
    p.a.data +=
        (planes.heads > 0 ? plane / planes.heads : plane) * planes.a_step + (p.a_transposed ? row : row * p.a.stride);
    p.b.data += (planes.heads > 0 ? plane % planes.heads : plane) * planes.b_step +
                (p.b_transposed ? column * p.b.stride : column);
    p.out += plane * planes.out_step + row * p.out_stride + column;
    if (p.bias) p.bias += (planes.heads > 0 ? plane % planes.heads * planes.bias_step : 0) + column;
    body(p, row, column);
  });
}

void multiply(Compute& compute, const Kernels& set, const Product& whole, const Planes& planes) {
  each_piece(compute, whole, planes, [&](const Product& p, Index, Index) { set.multiply(p); });
}

// Calls body(plane, first, rows) for the planes of n_q rows each that rows begin to end − 1 lie in.
template <class Body>
void each_plane(Index begin, Index end, Index n_q, const Body& body) {
  while (begin < end) {
    const Index plane = begin / n_q, last = std::min(end, (plane + 1) * n_q);
    body(plane, begin, last - begin);
    begin = last;
  }
}

// w (M, d_in, d') → (d_in, M·d'): the matrices of all heads side by side.
Tensor side_by_side(Compute& compute, const float* w, Index heads, Index d_in, Index d_head) {
  Tensor wide = Tensor::uninitialized({d_in, heads * d_head});
  over_rows(compute, d_in, heads * d_head, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      for (Index m = 0; m < heads; ++m)
        std::copy_n(w + (m * d_in + c) * d_head, d_head, wide.data() + (c * heads + m) * d_head);
  });
  return wide;
}

// Copies the columns of `piece`, which begins at `row` and `column` of all heads side by side, to their heads: out (B,
// M, n, d').
void split_heads(const Product& piece, Index row, Index column, Index n, Index heads, Index d_head, float* out) {
  for (Index i = row; i < row + piece.rows; ++i) {
    const float* from = piece.out + (i - row) * piece.out_stride;
    for (Index c = column; c < column + piece.columns;) {
      const Index m = c / d_head, count = std::min((m + 1) * d_head, column + piece.columns) - c;
      std::copy_n(from, count, out + ((i / n * heads + m) * n + i % n) * d_head + c - m * d_head);
      from += count;
      c += count;
    }
  }
}

}  // namespace

void project(Compute& compute, const float* x, const float* w, const float* bias, Index batches, Index n, Index d_in,
             Index heads, Index d_head, float* out, const Kernels& set) {
  const bool all_at_hand = is_read_in_place(heads * d_in, d_head);  // the matrices of all heads, one below the other
  if (d_in <= few_terms || heads == 1 || all_at_hand) {
    const Product product{.a = {x, d_in},
                          .b = {w, d_head},
                          .rows = n,
                          .inner = d_in,
                          .columns = d_head,
                          .bias = bias,
                          .out = out,
                          .out_stride = d_head};
    multiply(compute, set, product,
             {.count = batches * heads,
              .heads = heads,
              .a_step = n * d_in,
              .b_step = d_in * d_head,
              .bias_step = d_head,
              .out_step = n * d_head});
    return;
  }
  // One wide product is faster than many narrow ones, by more than the two copies take.
  const Tensor wide = side_by_side(compute, w, heads, d_in, d_head);
  const Index columns = heads * d_head;
  const Product product{.a = {x, d_in},
                        .b = {wide.data(), columns},
                        .rows = batches * n,
                        .inner = d_in,
                        .columns = columns,
                        .bias = bias,
                        .out = out};
  each_piece(compute, product, {}, [&](Product p, Index row, Index column) {
    Tensor sums = Tensor::uninitialized({p.rows, p.columns});  // split while they are near
    p.out = sums.data();
    p.out_stride = p.columns;
    set.multiply(p);
    split_heads(p, row, column, n, heads, d_head, out);
  });
}

void linear(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index d_in, Index d_out,
            bool relu, float* out, const Kernels& set) {
  const Product product{.a = {x, d_in},
                        .b = {w, d_out},
                        .rows = rows,
                        .inner = d_in,
                        .columns = d_out,
                        .bias = bias,
                        .relu = relu,
                        .out = out,
                        .out_stride = d_out};
  multiply(compute, set, product, {});
}

void linear_back(Compute& compute, const float* g, const float* w, Index rows, Index d_in, Index d_out, float* out,
                 const Kernels& set) {
  const Product product{.a = {g, d_out},
                        .b = {w, d_out},
                        .b_transposed = true,
                        .rows = rows,
                        .inner = d_out,
                        .columns = d_in,
                        .out = out,
                        .out_stride = d_in};
  multiply(compute, set, product, {});
}

void products_of_rows(const float* x, Index stride, const float* g, Index rows, Index d_in, Index d_out, float* out,
                      const Kernels& set) {
  set.multiply({.a = {x, stride},
                .b = {g, d_out},
                .a_transposed = true,
                .rows = d_in,
                .inner = rows,
                .columns = d_out,
                .out = out,
                .out_stride = d_out});
}

void products_of_rows(Compute& compute, const float* x, const float* g, Index rows, Index d_in, Index d_out, float* out,
                      const Kernels& set) {
  constexpr Index together = 256, most_parts = 16;  // of rows, whose products are added up in their order
  const Index parts = std::clamp<Index>(rows / together, 1, most_parts), size = d_in * d_out;
  Tensor sums = Tensor::uninitialized({parts, d_in, d_out});
  compute.parallel_each(parts, 1, [&](Index part) {
    const Index first = rows * part / parts, last = rows * (part + 1) / parts;
    products_of_rows(x + first * d_in, d_in, g + first * d_out, last - first, d_in, d_out,
                     parts == 1 ? out : sums.data() + part * size, set);
  });
  if (parts == 1) return;
  over_rows(compute, size, parts, [&](Index begin, Index end) {
    std::copy(sums.data() + begin, sums.data() + end, out + begin);
    for (Index part = 1; part < parts; ++part)
      for (Index i = begin; i < end; ++i) out[i] += sums.data()[part * size + i];
  });
}

// out_ij = Σ_c q_ic k_jc in each plane.
void dot_products(const float* q, const float* k, Index begin, Index end, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set) {
  each_plane(begin, end, n_q, [&](Index plane, Index first, Index rows) {
    set.multiply({.a = {q + first * d_head, d_head},
                  .b = {k + plane * n_k * d_head, d_head},
                  .b_transposed = true,
                  .rows = rows,
                  .inner = d_head,
                  .columns = n_k,
                  .out = out + first * n_k,
                  .out_stride = n_k});
  });
}

// out_ic = Σ_j a_ij v_jc in each plane.
void weighted_sum(const float* a, const float* v, Index begin, Index end, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set) {
  each_plane(begin, end, n_q, [&](Index plane, Index first, Index rows) {
    set.multiply({.a = {a + first * n_k, n_k},
                  .b = {v + plane * n_k * d_head, d_head},
                  .rows = rows,
                  .inner = n_k,
                  .columns = d_head,
                  .out = out + first * d_head,
                  .out_stride = d_head});
  });
}

void softmax(const float* in, Index begin, Index end, Index n, float* out, const Kernels& set) {
  set.softmax(in + begin * n, end - begin, n, out + begin * n);
}

void softmax(Compute& compute, const float* in, Index rows, Index n, float* out, const Kernels& set) {
  over_rows(compute, rows, n, [&](Index begin, Index end) { softmax(in, begin, end, n, out, set); });
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

void add(const float* a, const float* b, Index size, float* out) {
  for (Index i = 0; i < size; ++i) out[i] = a[i] + b[i];
}

void add(Compute& compute, const float* a, const float* b, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) { add(a + begin, b + begin, end - begin, out + begin); });
}

void scale(const float* a, float factor, Index size, float* out) {
  for (Index i = 0; i < size; ++i) out[i] = a[i] * factor;
}

void scale(Compute& compute, const float* a, float factor, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) { scale(a + begin, factor, end - begin, out + begin); });
}

void linear_combination(Compute& compute, const float* a, float a_factor, const float* b, float b_factor, Index size,
                        float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * a_factor + b[i] * b_factor;
  });
}

void dropout(Compute& compute, const float* a, const float* kept, float factor, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * kept[i] * factor;
  });
}

void tanh_of_sums(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index h,
                  float* out, const Kernels& set) {
  compute.parallel_each(planes * n_q, 1, [&](Index row) {
    for (Index j = 0; j < n_k; ++j) {
      const float* key = k + (row / n_q * n_k + j) * h;
      float* to = out + (row * n_k + j) * h;
      for (Index c = 0; c < h; ++c) to[c] = q[row * h + c] + key[c];
    }
    tanh(out + row * n_k * h, n_k * h, set);
  });
}

void relu(Compute& compute, const float* a, Index size, float* out) {
  over_flat(compute, size, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] < 0 ? 0 : a[i];  // NaN stays NaN
  });
}

void transpose(Compute& compute, const float* x, Index batches, Index rows, Index columns, float* out) {
  constexpr Index side = 16;  // a cache line of numbers, of which all are used while it is at hand
  const Index strips = pieces_of(columns, side);
  over_rows(compute, batches * strips, rows * std::min(side, columns), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index batch = i / strips, first = i % strips * side, last = std::min(first + side, columns);
      const float* from = x + batch * rows * columns;
      float* to = out + batch * rows * columns;
      for (Index top = 0; top < rows; top += side)
        for (Index c = first; c < last; ++c)
          for (Index r = top; r < std::min(top + side, rows); ++r) to[c * rows + r] = from[r * columns + c];
    }
  });
}

void pointwise(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index c_in, Index c_out,
               float* out, const Kernels& set) {
  const Product product{.a = {x, c_in},
                        .b = {w, c_in},
                        .b_transposed = true,
                        .rows = rows,
                        .inner = c_in,
                        .columns = c_out,
                        .bias = bias,
                        .out = out,
                        .out_stride = c_out};
  multiply(compute, set, product, {});
}

double log_sum_exp(const float* row, Index n, const Kernels& set) {
  return set.log_sum_exp(row, n);
}

void silu(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.silu(x + begin, end - begin); });
}

void gelu(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.gelu(x + begin, end - begin); });
}

void tanh(float* x, Index size, const Kernels& set) {
  set.tanh(x, size);
}

void elu_plus_one(float* x, Index size, const Kernels& set) {
  set.elu_plus_one(x, size);
}

void gelu_tanh(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.gelu_tanh(x + begin, end - begin); });
}

}  // namespace headlight::math
