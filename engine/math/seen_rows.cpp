#include "engine/math/seen_rows.h"

#include <algorithm>

namespace headlight::math {

namespace {

bool any_but(float hidden, const float* values, Index n) {
  bool other = false;
  for (Index j = 0; j < n; ++j) other |= values[j] != hidden;
  return other;
}

}  // namespace

VisibleBlocks::VisibleBlocks(const Tensor& values, const Shape& shape, float hidden)
    : heads_(shape[1]),
      queries_(shape[2]),
      keys_(shape[3]),
      blocks_((shape[3] + block - 1) / block),
      batch_step_(values.dim(0) == 1 ? 0 : values.dim(1) * values.dim(2)),
      head_step_(values.dim(1) == 1 ? 0 : values.dim(2)),
      query_step_(values.dim(2) == 1 ? 0 : 1),
      seen_(static_cast<std::size_t>(values.size() / shape[3] * blocks_)) {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Index row = static_cast<Index>(i) / blocks_, first = static_cast<Index>(i) % blocks_ * block;
    seen_[i] = any_but(hidden, values.data() + row * keys_ + first, std::min(block, keys_ - first)) ? 1 : 0;
  }
}

std::vector<std::uint8_t> VisibleBlocks::seen_by_any(Index first, Index last) const {
  std::vector<std::uint8_t> any(static_cast<std::size_t>(blocks_));
  for (Index row = first; row < last; ++row) {
    const std::uint8_t* seen = blocks_of(row);
    for (std::size_t at = 0; at < any.size(); ++at) any[at] |= seen[at];
  }
  return any;
}

void add_mask(const float* scores, const Shape& shape, const Tensor& mask, const VisibleBlocks& seen, Index begin,
              Index end, float* out) {
  constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  const Index n = shape[3];
  for (Index row = begin; row < end; ++row) {
    const float* in = scores + row * n;
    const float* added = mask.data() + seen.row_of(row) * n;
    float* sum = out + row * n;
    Index done = 0;
    seen.for_each_visible(row, [&](Index first, Index last) {
      std::fill_n(sum + done, first - done, minus_infinity);
      for (Index j = first; j < last; ++j) sum[j] = added[j] == minus_infinity ? minus_infinity : in[j] + added[j];
      done = last;
    });
    std::fill_n(sum + done, n - done, minus_infinity);
  }
}

void softmax(const float* in, const VisibleBlocks& seen, Index begin, Index end, Index n, float* out,
             const Kernels& set) {
  for (Index row = begin; row < end; ++row) {
    Index from = n, to = n;
    seen.for_each_visible(row, [&](Index first, Index last) {
      from = std::min(from, first);
      to = last;
    });
    float* weights = out + row * n;
    float hidden = 0;
    if (from < to) {
      set.softmax(in + row * n + from, 1, to - from, weights + from);
      hidden = 0 * weights[from];  // NaN where the row is
    }
    std::fill_n(weights, from, hidden);
    std::fill_n(weights + to, n - to, hidden);
  }
}

namespace {

// Rows first to last − 1 of one plane: so many keys after the other, each time added to what is there.
void add_up_seen(const Kernels& set, const VisibleBlocks& seen, Index first, Index last, Product p) {
  constexpr Index keys = 128;
  const Index n_k = p.inner;
  Index next = 0;  // key that nothing was added of yet
  seen.for_each_visible(first, last, [&](Index begin, Index end) {
    for (Index j = std::max(next, begin / keys * keys); j < end; j += keys) {
      Product part = p;
      part.a.data += j;
      part.b.data += j * p.b.stride;
      part.inner = std::min(keys, n_k - j);
      set.multiply(part);
      p.adds = true;
      next = j + keys;
    }
  });
  if (!p.adds)
    for (Index row = 0; row < p.rows; ++row) std::fill_n(p.out + row * p.out_stride, p.columns, 0.0F);
}

}  // namespace

void weighted_sum(const float* a, const float* v, const VisibleBlocks& seen, Index begin, Index end, Index n_q,
                  Index n_k, Index d_head, float* out, const Kernels& set) {
  constexpr Index long_row = 512;  // from there on it pays to cut sums
  if (n_k < long_row || d_head < 16) return weighted_sum(a, v, begin, end, n_q, n_k, d_head, out, set);
  for (Index row = begin; row < end;) {
    const Index plane = row / n_q, last = std::min(end, (plane + 1) * n_q);
    add_up_seen(set, seen, row, last,
                {.a = {a + row * n_k, n_k},
                 .b = {v + plane * n_k * d_head, d_head},
                 .rows = last - row,
                 .inner = n_k,
                 .columns = d_head,
                 .is_part = true,
                 .out = out + row * d_head,
                 .out_stride = d_head});
    row = last;
  }
}

}  // namespace headlight::math
