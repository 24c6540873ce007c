#include "engine/math/extent.h"

#include <algorithm>
#include <limits>

#include "engine/math/kernels.h"

namespace headlight {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Numbers that are looked at together where some are not finite.
constexpr std::size_t together = 64;

}  // namespace

Extent extent_of(std::span<const float> values) {
  const math::Kernels& set = math::kernels();
  Extent extent;
  float least = infinity, greatest = -infinity;
  for (std::size_t i = 0; i < values.size();) {
    const auto left = static_cast<Index>(values.size() - i);
    i += static_cast<std::size_t>(set.span_of_finite(values.data() + i, left, &least, &greatest));
    const std::size_t last = std::min(i + together, values.size());
    for (; i < last; ++i) {
      const float value = values[i];
      const bool masked = value == -infinity, broken = !(value < infinity);
      extent.masked += masked;
      extent.broken += broken;
      if (masked || broken) continue;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  extent.finite = static_cast<Index>(values.size()) - extent.masked - extent.broken;
  if (extent.finite == 0) return extent;
  extent.least = least;
  extent.greatest = greatest;
  return extent;
}

Extent extent_of_equal(float number, Index count) {
  Extent extent = extent_of({&number, 1});
  for (Index* counted : {&extent.finite, &extent.masked, &extent.broken}) *counted *= count;
  return extent;
}

std::vector<Extent> extents_of_items(const Tensor& values) {
  const Index items = std::max<Index>(1, values.dim(0));
  const auto each = static_cast<std::size_t>(values.size() / items);
  std::vector<Extent> extents;
  for (std::size_t b = 0; b < static_cast<std::size_t>(items); ++b)
    extents.push_back(extent_of(values.values().subspan(b * each, each)));
  return extents;
}

Extent united(const Extent& a, const Extent& b) {
  Extent both{a.finite + b.finite, a.masked + b.masked, a.broken + b.broken, a.least, a.greatest};
  if (b.finite > 0) {
    both.least = a.finite > 0 ? std::min(a.least, b.least) : b.least;
    both.greatest = a.finite > 0 ? std::max(a.greatest, b.greatest) : b.greatest;
  }
  return both;
}

}  // namespace headlight
