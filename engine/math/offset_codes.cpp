#include "engine/math/offset_codes.h"

#include <algorithm>
#include <cstdlib>

namespace headlight::math {

namespace {

// Every second row of the matrices of all heads side by side: w (M, d, d') → (⌈(d − first)/2⌉, M·d').
Tensor every_second_row(Compute& compute, const float* w, Index heads, Index d, Index width, Index first) {
  const Index rows = (d - first + 1) / 2;
  Tensor wide = Tensor::uninitialized({rows, heads * width});
  compute.parallel(rows, 16, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      for (Index m = 0; m < heads; ++m)
        std::copy_n(w + (m * d + first + 2 * row) * width, width, wide.data() + (row * heads + m) * width);
  });
  return wide;
}

}  // namespace

void project_codes(Compute& compute, const float* codes, Index last, Index count, Index d, const float* w, Index heads,
                   Index width, float* out, const Kernels& set) {
  const Index least = last - count + 1;
  if (d <= few_terms || least >= 0 || last <= 0)  // few terms are added up in their order
    return project(compute, codes, w, nullptr, 1, count, d, heads, width, out, set);
  // Of each place and its opposite, the one on the longer side.
  const Index side = last >= -least ? 1 : -1, distances = std::max(last, -least) + 1;
  const auto product = [&](Index first) {
    const Index channels = (d - first + 1) / 2, columns = heads * width;
    Tensor numbers = Tensor::uninitialized({distances, channels}),
           products = Tensor::uninitialized({distances, columns});
    compute.parallel(distances, 16, [&](Index begin, Index end) {
      for (Index away = begin; away < end; ++away)
        for (Index c = 0; c < channels; ++c)
          numbers[away * channels + c] = codes[(last - side * away) * d + first + 2 * c];
    });
    const Tensor wide = every_second_row(compute, w, heads, d, width, first);
    linear(compute, numbers.data(), wide.data(), nullptr, distances, channels, columns, false, products.data(), set);
    return products;
  };
  const Tensor sines = product(0), cosines = product(1);
  compute.parallel(heads * count, 64, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index place = last - row % count, from = (std::abs(place) * heads + row / count) * width;
      const float sign = place * side < 0 ? -1.0F : 1.0F;
      const float *odd = sines.data() + from, *even = cosines.data() + from;
      for (Index c = 0; c < width; ++c) out[row * width + c] = even[c] + sign * odd[c];
    }
  });
}

}  // namespace headlight::math
