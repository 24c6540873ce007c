#include "engine/measures/weight_on_keys.h"

#include <algorithm>
#include <limits>

namespace headlight {

std::vector<double> weight_of_keys(const Step& map, std::optional<Index> item) {
  const Index heads = map.extent(AxisRole::head), queries = map.extent(AxisRole::query), n = map.tensor().dim(-1);
  std::vector<double> sums(static_cast<std::size_t>(heads * n)), rows(static_cast<std::size_t>(heads));
  const Index first = item ? *item * heads * queries : 0,
              last = item ? first + heads * queries : map.tensor().size() / n;
  for (Index row = first; row < last; ++row) {
    const float* weights = map.tensor().data() + row * n;
    if (std::all_of(weights, weights + n, [](float w) { return w == 0; })) continue;
    const Index head = row / queries % heads;
    for (Index j = 0; j < n; ++j) sums[static_cast<std::size_t>(head * n + j)] += weights[j];
    rows[static_cast<std::size_t>(head)] += 1;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double count = rows[i / static_cast<std::size_t>(n)];
    sums[i] = count > 0 ? sums[i] / count : std::numeric_limits<double>::quiet_NaN();
  }
  return sums;
}

std::vector<double> weight_on_keys(const Step& map, const std::vector<Index>& keys, std::optional<Index> item) {
  const std::vector<double> each = weight_of_keys(map, item);
  const auto heads = static_cast<std::size_t>(map.extent(AxisRole::head)), n = each.size() / heads;
  std::vector<double> together(heads);
  for (std::size_t m = 0; m < heads; ++m)
    for (const Index key : keys) together[m] += each[m * n + static_cast<std::size_t>(key)];
  return together;
}

}  // namespace headlight
