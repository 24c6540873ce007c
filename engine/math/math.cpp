#include "engine/math/math.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/math/kernels.h"

namespace headlight::math {

namespace {

constexpr Index row_grain = 84;        // rows a piece: a multiple of every register block (6 and 14)
constexpr Index flat_grain = 1 << 15;  // numbers a piece of work that only streams memory

using Scratch = std::vector<float>;

// Calls body(plane, first row, last row) over all rows of all planes, split so that no piece crosses a plane.
template <class Body>
void over_rows(Compute& compute, Index planes, Index rows, Body body) {
  const Index pieces = (rows + row_grain - 1) / row_grain;
  compute.parallel(planes * pieces, 1, [&](Index begin, Index end) {
    for (Index piece = begin; piece < end; ++piece) {
      const Index first = piece % pieces * row_grain;
      body(piece / pieces, first, std::min(first + row_grain, rows));
    }
  });
}

// Packs the right side of each plane.
Scratch pack_planes(Compute& compute, const Kernels& k, const float* b, Index planes, Index inner, Index columns,
                    bool transposed) {
  const Index size = packed_size(k, inner, columns);
  Scratch packed(static_cast<std::size_t>(planes * size));
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane)
      k.pack(b + plane * inner * columns, inner, columns, transposed ? 1 : columns, transposed ? inner : 1,
             packed.data() + plane * size);
  });
  return packed;
}

// a (planes, rows, inner) · b (planes, inner, columns) → out (planes, rows, columns).
void batched(Compute& compute, const float* a, const float* b, bool transposed, Index planes, Index rows, Index inner,
             Index columns, float* out) {
  const Kernels& k = kernels();
  const Scratch packed = pack_planes(compute, k, b, planes, inner, columns, transposed);
  const Index size = packed_size(k, inner, columns);
  over_rows(compute, planes, rows, [&](Index plane, Index first, Index last) {
    k.multiply(a + (plane * rows + first) * inner, last - first, inner, packed.data() + plane * size, columns, nullptr,
               false, out + (plane * rows + first) * columns, columns);
  });
}

}  // namespace

void project(Compute& compute, const float* x, const float* w, const float* bias, Index batches, Index n, Index d_in,
             Index heads, Index d_head, float* out) {
  const Kernels& k = kernels();
  const Scratch packed = pack_planes(compute, k, w, heads, d_in, d_head, false);
  const Index size = packed_size(k, d_in, d_head);
  over_rows(compute, batches * heads, n, [&](Index plane, Index first, Index last) {
    const Index b = plane / heads, m = plane % heads;
    k.multiply(x + (b * n + first) * d_in, last - first, d_in, packed.data() + m * size, d_head,
               bias ? bias + m * d_head : nullptr, false, out + (plane * n + first) * d_head, d_head);
  });
}

void linear(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index d_in, Index d_out,
            bool relu, float* out) {
  const Kernels& k = kernels();
  const Scratch packed = pack_planes(compute, k, w, 1, d_in, d_out, false);
  over_rows(compute, 1, rows, [&](Index, Index first, Index last) {
    k.multiply(x + first * d_in, last - first, d_in, packed.data(), d_out, bias, relu, out + first * d_out, d_out);
  });
}

void scores(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index d_head,
            float* out) {
  batched(compute, q, k, true, planes, n_q, d_head, n_k, out);
}

void weighted_sum(Compute& compute, const float* a, const float* v, Index planes, Index n_q, Index n_k, Index d_head,
                  float* out) {
  batched(compute, a, v, false, planes, n_q, n_k, d_head, out);
}

void softmax(Compute& compute, const float* in, Index rows, Index n, float* out) {
  const Kernels& k = kernels();
  compute.parallel(rows, std::max<Index>(1, flat_grain / n),
                   [&](Index begin, Index end) { k.softmax(in + begin * n, end - begin, n, out + begin * n); });
}

void layer_norm(Compute& compute, const float* x, const float* gamma, const float* beta, Index rows, Index d,
                float epsilon, float* out) {
  compute.parallel(rows, std::max<Index>(1, flat_grain / d), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const float* in = x + row * d;
      double mean = 0;
      for (Index c = 0; c < d; ++c) mean += in[c];
      mean /= static_cast<double>(d);
      double variance = 0;
      for (Index c = 0; c < d; ++c) variance += (in[c] - mean) * (in[c] - mean);
      const double deviation = std::sqrt(variance / static_cast<double>(d) + epsilon);
      for (Index c = 0; c < d; ++c)
        out[row * d + c] = static_cast<float>((in[c] - mean) / deviation * gamma[c] + beta[c]);
    }
  });
}

void concat_heads(Compute& compute, const float* heads, Index batches, Index head_count, Index n, Index d_head,
                  float* out) {
  compute.parallel(batches * n, std::max<Index>(1, flat_grain / (head_count * d_head)), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index b = row / n, i = row % n;
      for (Index m = 0; m < head_count; ++m)
        std::copy_n(heads + ((b * head_count + m) * n + i) * d_head, d_head, out + (row * head_count + m) * d_head);
    }
  });
}

void add(Compute& compute, const float* a, const float* b, Index size, float* out) {
  compute.parallel(size, flat_grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] + b[i];
  });
}

void scale(Compute& compute, const float* a, float factor, Index size, float* out) {
  compute.parallel(size, flat_grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * factor;
  });
}

void dropout(Compute& compute, const float* a, const float* kept, float factor, Index size, float* out) {
  compute.parallel(size, flat_grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = a[i] * kept[i] * factor;
  });
}

}  // namespace headlight::math
