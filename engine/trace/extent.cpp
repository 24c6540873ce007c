#include "engine/trace/extent.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace headlight {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Several extents side by side, so that the loop over them becomes vector instructions.
struct Lanes {
  static constexpr std::size_t count = 16;
  static constexpr std::size_t most = std::size_t{1} << 30;  // numbers until a lane's counts would no longer fit
  float least[count];
  float greatest[count];
  std::int32_t masked[count] = {};
  std::int32_t broken[count] = {};

  Lanes() {
    std::fill_n(least, count, infinity);
    std::fill_n(greatest, count, -infinity);
  }
  void include(std::size_t lane, float value) {
    const bool is_masked = value == -infinity, is_broken = !(value < infinity);
    masked[lane] += is_masked;
    broken[lane] += is_broken;
    const float low = is_masked ? infinity : value, high = is_broken ? -infinity : value;
    least[lane] = low < least[lane] ? low : least[lane];  // never for NaN and +∞
    greatest[lane] = high > greatest[lane] ? high : greatest[lane];
  }
};

Extent extent_of_part(std::span<const float> values) {
  Lanes lanes;
  std::size_t i = 0;
  for (; i + Lanes::count <= values.size(); i += Lanes::count)
    for (std::size_t lane = 0; lane < Lanes::count; ++lane) lanes.include(lane, values[i + lane]);
  for (; i < values.size(); ++i) lanes.include(0, values[i]);
  Extent extent;
  for (const auto count : lanes.masked) extent.masked += count;
  for (const auto count : lanes.broken) extent.broken += count;
  extent.finite = static_cast<Index>(values.size()) - extent.masked - extent.broken;
  if (extent.finite == 0) return extent;
  extent.least = *std::ranges::min_element(lanes.least);
  extent.greatest = *std::ranges::max_element(lanes.greatest);
  return extent;
}

}  // namespace

Extent extent_of(std::span<const float> values) {
  Extent extent;
  for (; values.size() > Lanes::most; values = values.subspan(Lanes::most))
    extent = united(extent, extent_of_part(values.first(Lanes::most)));
  return united(extent, extent_of_part(values));
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
