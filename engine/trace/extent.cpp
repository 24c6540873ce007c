#include "engine/trace/extent.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

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

// What numbers that are taken in by four or by sixteen span.
struct Lanes {
  static constexpr std::size_t most = std::size_t{1} << 30;  // numbers until a count would no longer fit
  Four least[4], greatest[4];
  Counts masked = {}, broken = {};

  Lanes() {
    std::ranges::fill(least, all_four(infinity));
    std::ranges::fill(greatest, all_four(-infinity));
  }
  // Of numbers that are +∞ where they are masked, and −∞ where they are broken: neither counts, nor does NaN.
  void include(int lane, Four low, Four high) {
    least[lane] = low < least[lane] ? low : least[lane];
    greatest[lane] = high > greatest[lane] ? high : greatest[lane];
  }
};

constexpr std::size_t sixteen = 16;
// Numbers that are looked at together: mostly they are all finite, or all a mask's, which is seen at a glance.
constexpr std::size_t together = 16 * sixteen;

// Takes them in and says so where all are finite; else leaves them alone.
bool include_finite(Lanes& lanes, const float* values) {
  Lanes with = lanes;
  Four strange[4] = {};
  for (std::size_t i = 0; i < together; i += sixteen)
    for (int lane = 0; lane < 4; ++lane) {
      const Four value = four_of(values + i + 4 * lane);
      strange[lane] += value * 0;  // NaN from the first on that is not finite
      with.include(lane, value, value);
    }
  const Four sum = strange[0] + strange[1] + strange[2] + strange[3];
  if (!(sum[0] + sum[1] + sum[2] + sum[3] == 0)) return false;
  lanes = with;
  return true;
}

bool all_masked(const float* values) {
  Counts other = {};
  const Counts masked = reinterpret_cast<Counts>(all_four(-infinity));
  for (std::size_t i = 0; i < together; i += 4) other |= reinterpret_cast<Counts>(four_of(values + i)) ^ masked;
  return (other[0] | other[1] | other[2] | other[3]) == 0;
}

// Any four, of which those with −1 count.
void include_four(Lanes& lanes, Four value, Counts counted = Counts{} - 1) {
  const Counts masked = value == all_four(-infinity), finite = value < all_four(infinity);  // −1 where it is so
  lanes.include(0, masked ? all_four(infinity) : value, finite ? value : all_four(-infinity));
  lanes.masked -= masked & counted;
  lanes.broken -= ~finite & counted;
}

Extent extent_of_part(std::span<const float> values) {
  Lanes lanes;
  Extent extent;
  std::size_t i = 0;
  for (; i + together <= values.size(); i += together) {
    const float* some = values.data() + i;
    if (include_finite(lanes, some)) continue;
    if (all_masked(some))
      extent.masked += together;
    else
      for (std::size_t j = 0; j < together; j += 4) include_four(lanes, four_of(some + j));
  }
  for (; i + 4 <= values.size(); i += 4) include_four(lanes, four_of(values.data() + i));
  if (i < values.size()) {
    Four rest = all_four(values[i]);
    Counts counted = {};
    for (int k = 0; i < values.size(); ++i, ++k) rest[k] = values[i], counted[k] = -1;
    include_four(lanes, rest, counted);
  }
  for (int k = 0; k < 4; ++k) extent.masked += lanes.masked[k], extent.broken += lanes.broken[k];
  extent.finite = static_cast<Index>(values.size()) - extent.masked - extent.broken;
  if (extent.finite == 0) return extent;
  const auto all = [](const Four(&four)[4], auto pick) {
    float found = four[0][0];
    for (const Four& lane : four)
      for (int k = 0; k < 4; ++k) found = pick(found, lane[k]);
    return found;
  };
  extent.least = all(lanes.least, [](float a, float b) { return std::min(a, b); });
  extent.greatest = all(lanes.greatest, [](float a, float b) { return std::max(a, b); });
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
