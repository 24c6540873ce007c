#include "engine/measures/weight_on_keys.h"

#include <algorithm>
#include <limits>

namespace headlight {

std::vector<double> weight_on_keys(const Step& map, const std::vector<Index>& keys) {
  const Index heads = map.extent(AxisRole::head), queries = map.extent(AxisRole::query), n = map.tensor().dim(-1);
  std::vector<double> sums(static_cast<std::size_t>(heads)), rows(sums.size());
  for (Index row = 0; row < map.tensor().size() / n; ++row) {
    const float* weights = map.tensor().data() + row * n;
    if (std::all_of(weights, weights + n, [](float w) { return w == 0; })) continue;
    const auto head = static_cast<std::size_t>(row / queries % heads);
    for (const Index key : keys) sums[head] += weights[key];
    rows[head] += 1;
  }
  for (std::size_t m = 0; m < sums.size(); ++m)
    sums[m] = rows[m] > 0 ? sums[m] / rows[m] : std::numeric_limits<double>::quiet_NaN();
  return sums;
}

}  // namespace headlight
