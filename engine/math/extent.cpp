#include "engine/math/extent.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "engine/math/kernels.h"

namespace headlight {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Four numbers at once: what every processor has, and what loops over an array of them are not always made into.
using Four = float __attribute__((vector_size(16)));
using Counts = std::int32_t __attribute__((vector_size(16)));

Four four_of(const float* values) {
  Four four;
  std::memcpy(&four, values, sizeof four);
  return four;
}

Four all_four(float value) {
  return Four{} + value;
}

// What numbers that are taken in by four span.
struct Lanes {
  static constexpr std::size_t most = std::size_t{1} << 30;  // numbers until a count would no longer fit
  Four least = all_four(infinity), greatest = all_four(-infinity);
  Counts masked = {}, broken = {};

  // Of numbers that are +∞ where they are masked, and −∞ where they are broken: neither counts, nor does NaN.
  void include(Four low, Four high) {
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
  }
};

// Numbers that are looked at together where some are not finite: mostly they are all a mask's, seen at a glance.
constexpr std::size_t together = 256;

bool all_masked(const float* values) {
  Counts other = {};
  const Counts masked = reinterpret_cast<Counts>(all_four(-infinity));
  for (std::size_t i = 0; i < together; i += 4) other |= reinterpret_cast<Counts>(four_of(values + i)) ^ masked;
  return (other[0] | other[1] | other[2] | other[3]) == 0;
}

// Any four, of which those with −1 count.
void include_four(Lanes& lanes, Four value, Counts counted = Counts{} - 1) {
  const Counts masked = value == all_four(-infinity), finite = value < all_four(infinity);  // −1 where it is so
  lanes.include(masked ? all_four(infinity) : value, finite ? value : all_four(-infinity));
  lanes.masked -= masked & counted;
  lanes.broken -= ~finite & counted;
}

Extent extent_of_part(std::span<const float> values) {
  const math::Kernels& set = math::kernels();
  Lanes lanes;
  Extent extent;
  float least = infinity, greatest = -infinity;
  const auto end = values.size();
  for (std::size_t i = 0; i < end;) {
    i +=
        static_cast<std::size_t>(set.span_of_finite(values.data() + i, static_cast<Index>(end - i), &least, &greatest));
    const std::size_t some = std::min(together, end - i), last = i + some;
    if (some == together && all_masked(values.data() + i)) {
      extent.masked += together;
      i = last;
      continue;
    }
    for (; i + 4 <= last; i += 4) include_four(lanes, four_of(values.data() + i));
    if (i == last) continue;
    Four rest = all_four(values[i]);
    Counts counted = {};
    for (int k = 0; i < last; ++i, ++k) rest[k] = values[i], counted[k] = -1;
    include_four(lanes, rest, counted);
  }
  for (int k = 0; k < 4; ++k) extent.masked += lanes.masked[k], extent.broken += lanes.broken[k];
  extent.finite = static_cast<Index>(values.size()) - extent.masked - extent.broken;
  if (extent.finite == 0) return extent;
  for (int k = 0; k < 4; ++k) least = std::min(least, lanes.least[k]), greatest = std::max(greatest, lanes.greatest[k]);
  extent.least = least;
  extent.greatest = greatest;
  return extent;
}

}  // namespace

Extent extent_of(std::span<const float> values) {
  Extent extent;
  for (; values.size() > Lanes::most; values = values.subspan(Lanes::most))
    extent = united(extent, extent_of_part(values.first(Lanes::most)));
  return united(extent, extent_of_part(values));
}

Extent extent_of_equal(float number, Index count) {
  Extent extent = extent_of({&number, 1});
  for (Index* counted : {&extent.finite, &extent.masked, &extent.broken}) *counted *= count;
  return extent;
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
