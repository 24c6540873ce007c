#include "engine/measures/head_distances.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/measures/measured_map.h"

namespace headlight {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A head of one of the maps.
struct HeadOfMap {
  const MeasuredMap* map;
  const float* weights;  // of its first row
};

double entropy_of(const float* shares, Index keys) {
  double entropy = 0;
  for (Index j = 0; j < keys; ++j)
    if (const double p = shares[j]; p > 0) entropy -= p * std::log(p);
  return entropy;
}

double entropy_between(const float* a, const float* b, Index keys) {
  double entropy = 0;
  for (Index j = 0; j < keys; ++j)
    if (const double p = 0.5 * (double{a[j]} + double{b[j]}); p > 0) entropy -= p * std::log(p);
  return entropy;
}

// One row of every head.
struct Rows {
  Index keys;
  std::vector<float> shares;    // (heads, keys)
  std::vector<double> entropy;  // NaN where a head has no such row

  Rows(std::size_t heads, Index keys_of_each)
      : keys(keys_of_each), shares(heads * static_cast<std::size_t>(keys)), entropy(heads) {}

  const float* of(std::size_t head) const { return shares.data() + head * static_cast<std::size_t>(keys); }

  void read(std::size_t head, const HeadOfMap& from, Index item, Index query) {
    const MeasuredMap& map = *from.map;
    const MeasuredRow row{.map = map,
                          .weights = from.weights + item * map.batches.stride + query * map.queries.stride,
                          .item = item,
                          .query = query};
    float* to = shares.data() + head * static_cast<std::size_t>(keys);
    double sum = 0;
    for (Index j = 0; j < keys; ++j) sum += std::abs(row.weight(j));
    const bool counts = sum > 0 && std::isfinite(sum) && !map.is_padding(item, query);
    entropy[head] = not_a_number;
    if (!counts) return;
    for (Index j = 0; j < keys; ++j) to[j] = static_cast<float>(std::abs(row.weight(j)) / sum);
    entropy[head] = entropy_of(to, keys);
  }
};

}  // namespace

std::optional<Index> HeadDistances::nearest(Index head) const {
  std::optional<Index> best;
  for (Index other = 0; other < heads; ++other)
    if (other != head && std::isfinite(between(head, other)) && (!best || between(head, other) < between(head, *best)))
      best = other;
  return best;
}

std::optional<HeadDistances> head_distances(const std::vector<const Step*>& maps, Compute& compute,
                                            std::optional<Index> item) {
  std::vector<MeasuredMap> measured;
  for (const Step* map : maps) measured.push_back(measured_map(*map, item));
  if (measured.empty()) return std::nullopt;
  const Index items = measured[0].batches.size, queries = measured[0].queries.size, keys = measured[0].keys.size;
  std::vector<HeadOfMap> heads;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const MeasuredMap& map = measured[i];
    if (map.batches.size != items || map.queries.size != queries || map.keys.size != keys) return std::nullopt;
    for (Index m = 0; m < map.heads.size; ++m) heads.push_back({&map, maps[i]->tensor().data() + m * map.heads.stride});
  }
  HeadDistances found{static_cast<Index>(heads.size()), std::vector<double>(heads.size() * heads.size())};
  std::vector<Index> rows(found.values.size());
  Rows row(heads.size(), keys);
  const Index first = item.value_or(0), last = item ? *item + 1 : items;
  for (Index at = first * queries; at < last * queries && !compute.cancelled(); ++at) {
    for (std::size_t head = 0; head < heads.size(); ++head) row.read(head, heads[head], at / queries, at % queries);
    const auto each = [&](Index begin, Index end) {
      for (auto a = static_cast<std::size_t>(begin); a < static_cast<std::size_t>(end); ++a)
        for (std::size_t b = 0; b < a; ++b) {
          if (std::isnan(row.entropy[a]) || std::isnan(row.entropy[b])) continue;
          const double apart = entropy_between(row.of(a), row.of(b), keys) - 0.5 * (row.entropy[a] + row.entropy[b]);
          found.values[a * heads.size() + b] += std::max(0.0, apart);
          ++rows[a * heads.size() + b];
        }
    };
    compute.parallel(found.heads, heads.size() > 32 ? 4 : found.heads, each);
    compute.progress(static_cast<float>(at + 1 - first * queries) / static_cast<float>((last - first) * queries));
  }
  for (std::size_t a = 0; a < heads.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const Index count = rows[a * heads.size() + b];
      const double mean = count > 0 ? found.values[a * heads.size() + b] / static_cast<double>(count) : not_a_number;
      found.values[a * heads.size() + b] = found.values[b * heads.size() + a] = a == b ? 0 : mean;
    }
  return found;
}

}  // namespace headlight
