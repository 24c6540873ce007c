#include "engine/math/mixing.h"

#include <algorithm>
#include <vector>

namespace headlight::math {

namespace {

constexpr Index piece = 1024;  // numbers of each map that are mixed at a time, so that those of all maps stay in cache

// Calls body(plane, begin, end) for pieces of so many planes.
template <class Body>
void over_pieces(Compute& compute, Index planes, Index plane, const Body& body) {
  const Index each = (plane + piece - 1) / piece;
  compute.parallel(planes * each, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) body(i / each, i % each * piece, std::min(plane, (i % each + 1) * piece));
  });
}

}  // namespace

void mix_maps(Compute& compute, const float* maps, const float* w, const float* bias, Index batches, Index heads,
              Index plane, float* out, const Kernels& set) {
  std::vector<float> shares(static_cast<std::size_t>(heads * heads));  // wᵀ
  for (Index t = 0; t < heads; ++t)
    for (Index m = 0; m < heads; ++m) shares[static_cast<std::size_t>(t * heads + m)] = w[m * heads + t];
  over_pieces(compute, batches, plane, [&](Index item, Index begin, Index end) {
    const Index first = item * heads * plane + begin;
    const Product product{.a = {shares.data(), heads},
                          .b = {maps + first, plane},
                          .rows = heads,
                          .inner = heads,
                          .columns = end - begin,
                          .out = out + first,
                          .out_stride = plane};
    heads <= few_terms ? set.multiply_unfused(product) : set.multiply(product);
    for (Index t = 0; bias && t < heads; ++t)
      for (Index i = 0; i < end - begin; ++i) out[first + t * plane + i] += bias[t];
  });
}

void differences(Compute& compute, const float* maps, float share, Index pairs, Index plane, float* out) {
  over_pieces(compute, pairs, plane, [&](Index pair, Index begin, Index end) {
    const float* from = maps + 2 * pair * plane;
    for (Index i = begin; i < end; ++i) out[pair * plane + i] = from[i] - share * from[plane + i];
  });
}

}  // namespace headlight::math
