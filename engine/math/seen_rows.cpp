#include "engine/math/seen_rows.h"

#include <algorithm>
#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace headlight::math {

namespace {

bool any_but(float hidden, const float* values, Index n) {
  bool other = false;
  for (Index j = 0; j < n; ++j) other |= values[j] != hidden;
  return other;
}

// n numbers that nothing reads soon: what is past the caches need not be read to be written.
void fill(float* out, Index n, float value, [[maybe_unused]] bool past_caches) {
#ifdef __SSE2__
  constexpr std::uintptr_t width = 16;  // bytes
  if (past_caches) {
    for (; n > 0 && reinterpret_cast<std::uintptr_t>(out) % width != 0; --n) *out++ = value;
    for (const __m128 four = _mm_set1_ps(value); n >= 4; n -= 4, out += 4) _mm_stream_ps(out, four);
  }
#endif
  std::fill_n(out, n, value);
}

// Other threads read what was filled past the caches.
void end_filling([[maybe_unused]] bool past_caches) {
#ifdef __SSE2__
  if (past_caches) _mm_sfence();
#endif
}

}  // namespace

SeenRows::SeenRows(const Tensor& values, const Shape& shape, float hidden)
    : batches_(shape[0]),
      heads_(shape[1]),
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

std::vector<std::uint8_t> SeenRows::seen_by_any(Index first, Index last) const {
  std::vector<std::uint8_t> any(static_cast<std::size_t>(blocks_));
  for (Index row = first; row < last; ++row) {
    const std::uint8_t* seen = blocks_of(row);
    for (std::size_t at = 0; at < any.size(); ++at) any[at] |= seen[at];
  }
  return any;
}

bool SeenRows::past_caches() const {
  constexpr Index cached_map = Index{4} << 20;  // 16 MiB
  return batches_ * heads_ * queries_ * keys_ > cached_map;
}

void add_mask(const float* scores, const Shape& shape, const Tensor& mask, const SeenRows& seen, Index begin, Index end,
              float* out) {
  constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  const bool past_caches = seen.past_caches();
  const Index n = shape[3];
  for (Index row = begin; row < end; ++row) {
    const float* in = scores + row * n;
    const float* added = mask.data() + seen.row_of(row) * n;
    float* sum = out + row * n;
    Index done = 0;
    seen.each_seen(row, [&](Index first, Index last) {
      fill(sum + done, first - done, minus_infinity, past_caches);
      for (Index j = first; j < last; ++j) sum[j] = added[j] == minus_infinity ? minus_infinity : in[j] + added[j];
      done = last;
    });
    fill(sum + done, n - done, minus_infinity, past_caches);
  }
  end_filling(past_caches);
}

void softmax(const float* in, const SeenRows& seen, Index begin, Index end, Index n, float* out, const Kernels& set) {
  const bool past_caches = seen.past_caches();
  for (Index row = begin; row < end; ++row) {
    Index from = n, to = n;
    seen.each_seen(row, [&](Index first, Index last) {
      from = std::min(from, first);
      to = last;
    });
    float* weights = out + row * n;
    float hidden = 0;
    if (from < to) {
      set.softmax(in + row * n + from, 1, to - from, weights + from);
      hidden = 0 * weights[from];  // NaN where the row is
    }
    fill(weights, from, hidden, past_caches);
    fill(weights + to, n - to, hidden, past_caches);
  }
  end_filling(past_caches);
}

namespace {

// Rows first to last − 1 of one plane: so many keys after the other, each time added to what is there.
void add_up_seen(const Kernels& set, const SeenRows& seen, Index first, Index last, Product p) {
  constexpr Index keys = 128;
  const Index n_k = p.inner;
  Index next = 0;  // key that nothing was added of yet
  seen.each_seen_by_any(first, last, [&](Index begin, Index end) {
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

void weighted_sum(const float* a, const float* v, const SeenRows& seen, Index begin, Index end, Index n_q, Index n_k,
                  Index d_head, float* out, const Kernels& set) {
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
                 .out = out + row * d_head,
                 .out_stride = d_head});
    row = last;
  }
}

}  // namespace headlight::math
