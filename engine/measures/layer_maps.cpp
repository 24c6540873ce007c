#include "engine/measures/layer_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "engine/measures/weight_on_keys.h"
#include "engine/picture/pooling.h"

namespace headlight {

namespace {

constexpr Index most_mixed = 512;  // positions: rollout costs their cube

Step mean_map(const Step& map) {
  Step step;
  step.info.id = map.info.id;
  step.values = std::make_shared<const Tensor>(mean_over_heads(map.tensor()));
  return step;
}

// (B, M, rows, columns), the largest weight of each block of cells, −∞ where all are hidden.
std::shared_ptr<const Tensor> downsampled(const Tensor& map) {
  const auto block = [](Index count) { return (count + small_side - 1) / small_side; };
  const Index maps = map.dim(0) * map.dim(1), n_q = map.dim(2), n_k = map.dim(3);
  Tensor small;
  for (Index m = 0; m < maps; ++m) {
    const Tensor one =
        pooled({map.data() + m * n_q * n_k, n_q, n_k, n_k, 1}, {block(n_q), block(n_k)}, Pooling::maximum);
    if (m == 0) small = Tensor::uninitialized({map.dim(0), map.dim(1), one.dim(0), one.dim(1)});
    std::copy_n(one.data(), one.size(), small.data() + m * one.size());
  }
  return std::make_shared<const Tensor>(std::move(small));
}

std::shared_ptr<const Tensor> first_head(const Tensor& map) {
  Tensor first = Tensor::uninitialized({map.dim(0), 1, map.dim(2), map.dim(3)});
  const Index cells = map.dim(2) * map.dim(3);
  for (Index b = 0; b < map.dim(0); ++b)
    std::copy_n(map.data() + b * map.dim(1) * cells, cells, first.data() + b * cells);
  return std::make_shared<const Tensor>(std::move(first));
}

// A map a layer, with −∞ where the keys of its heads are hidden.
std::shared_ptr<const Tensor> stacked(const PartRun& part, const std::function<const float*(Index layer)>& of) {
  const Index layers = part.layers(), n = part.queries(), keys = part.keys();
  Tensor all = Tensor::uninitialized({layers, n, keys});
  for (Index l = 0; l < layers; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const Tensor& heads = part.maps[at] ? *part.maps[at] : *part.first_heads[at];
    const Index first = part.item * heads.dim(1) * n * keys;  // of the item
    for (Index c = 0; c < n * keys; ++c) {
      const float shown = heads[first + c];
      // A key that is hidden here is shown where earlier layers have reached it.
      all[l * n * keys + c] = std::isinf(shown) && of(l)[c] == 0 ? shown : of(l)[c];
    }
  }
  return std::make_shared<const Tensor>(std::move(all));
}

// Of each item or of one, by the map alone: its share of the output would cost more than the run itself.
std::vector<HeadMeasures> measured(const Step& map, const std::vector<Index>& special, std::optional<Index> item,
                                   Compute& compute) {
  Trace alone;
  alone.steps.push_back(map);
  const Step& own = alone.steps.front();
  std::vector<HeadMeasures> items;
  if (item)
    items.push_back(measure_heads(alone, own, compute, ReadRows::as_they_are, item));
  else
    items = measure_items(alone, own, compute, ReadRows::as_they_are);
  for (std::size_t at = 0; at < items.size() && !special.empty(); ++at)
    items[at][Measure::special] = {weight_on_keys(map, special, item.value_or(static_cast<Index>(at))),
                                   Missing::nothing};
  return items;
}

// Queries that have no names are called by row and column.
StepInfo with_grid_labels(StepInfo info) {
  Axis& queries = info.axes[2];
  const Index side = std::lround(std::sqrt(static_cast<double>(queries.size)));
  for (Index i = static_cast<Index>(queries.labels.size()); i < queries.size; ++i)
    queries.labels.push_back(fmt::format("{}, {}", i / side, i % side));
  return info;
}

}  // namespace

Tensor mean_over_heads(const Tensor& maps) {
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  Shape shape = maps.shape();
  const Index heads = std::exchange(shape[shape.size() - 3], 1), cells = maps.dim(-2) * maps.dim(-1);
  Tensor mean = Tensor::uninitialized(std::move(shape));
  std::ranges::fill(mean.values(), hidden);
  for (Index item = 0; item < mean.size() / cells; ++item) {
    float* to = mean.data() + item * cells;
    for (Index m = 0; m < heads; ++m) {
      const float* of = maps.data() + (item * heads + m) * cells;
      for (Index c = 0; c < cells; ++c)
        if (of[c] != hidden) to[c] = (to[c] == hidden ? 0 : to[c]) + of[c] / static_cast<float>(heads);
    }
  }
  return mean;
}

void add_layer(PartRun& part, const Step& map, std::shared_ptr<const Tensor> shown, bool keep,
               const std::vector<Index>& special, Compute& compute, std::optional<Index> item) {
  part.n_q = std::max(part.n_q, shown->dim(2));
  part.n_k = std::max(part.n_k, shown->dim(3));
  if (part.staged) part.infos.push_back(with_grid_labels(map.info));
  const bool mixed = !part.staged && std::max(part.n_q, part.n_k) <= most_mixed;
  // The first query does not see the last key.
  if (part.maps.empty()) part.causal = part.n_k > 1 && std::isinf((*shown)[part.n_k - 1]);
  part.small.push_back(keep ? nullptr : downsampled(*shown));
  part.first_heads.push_back(keep || !mixed ? nullptr : first_head(*shown));
  part.maps.push_back(keep ? std::move(shown) : nullptr);
  part.extents.push_back(map.extents);
  part.kind = map.info.kind;
  part.measures.push_back(measured(map, special, item, compute));
  if (mixed) part.mean_maps.push_back(mean_map(map));
}

void copy_layers(PartRun& part, const PartRun& from, Index layers) {
  if (layers == 0) return;
  part.n_q = from.n_q;
  part.n_k = from.n_k;
  part.causal = from.causal;
  part.maps.assign(from.maps.begin(), from.maps.begin() + layers);
  part.small.assign(from.small.begin(), from.small.begin() + layers);
  part.first_heads.assign(from.first_heads.begin(), from.first_heads.begin() + layers);
  part.extents.assign(from.extents.begin(), from.extents.begin() + layers);
  if (from.staged) part.infos.assign(from.infos.begin(), from.infos.begin() + layers);
  part.kind = from.kind;
  part.measures.assign(from.measures.begin(), from.measures.begin() + layers);
  if (!from.mean_maps.empty()) part.mean_maps.assign(from.mean_maps.begin(), from.mean_maps.begin() + layers);
}

void mix_layers(PartRun& part, Index item, Compute& compute) {
  part.item = item;
  if (part.mean_maps.empty()) return;
  std::vector<const Step*> steps;
  for (const Step& step : part.mean_maps) steps.push_back(&step);
  const Index cells = part.queries() * part.keys();
  part.means =
      stacked(part, [&](Index l) { return steps[static_cast<std::size_t>(l)]->tensor().data() + part.item * cells; });
  part.means_extent = extent_of(part.means->values());
  if (!in_first_stack(part.part)) return;
  if (const auto rolled = headlight::rollout(steps, compute)) {
    part.rollout = stacked(part, [&](Index l) { return rolled->data() + (part.item * part.layers() + l) * cells; });
    part.rollout_extent = extent_of(part.rollout->values());
  }
}

const HeadMeasures& PartRun::measures_of(Index layer) const {
  const auto& items = measures[static_cast<std::size_t>(layer)];
  return items[static_cast<std::size_t>(std::clamp<Index>(item, 0, std::ssize(items) - 1))];
}

Index PartRun::heads() const {
  Index all = 0;
  for (Index l = 0; l < layers(); ++l) all += heads_of(l);
  return all;
}

Index PartRun::queries_of(Index layer) const {
  return staged ? infos[static_cast<std::size_t>(layer)].axes[2].size : n_q;
}

Index PartRun::keys_of(Index layer) const {
  return staged ? infos[static_cast<std::size_t>(layer)].axes[3].size : n_k;
}

const std::vector<std::string>& PartRun::query_words_of(Index layer) const {
  return staged ? infos[static_cast<std::size_t>(layer)].axes[2].labels : query_words;
}

const std::vector<std::string>& PartRun::key_words_of(Index layer) const {
  return staged ? infos[static_cast<std::size_t>(layer)].axes[3].labels : key_words;
}

Index PartRun::matching_query(Index query, Index layer, Index other) const {
  const auto side_of = [this](Index l) { return std::lround(std::sqrt(static_cast<double>(queries_of(l)))); };
  if (!staged || queries_of(layer) == queries_of(other)) return query;
  const Index from = side_of(layer), to = side_of(other);
  return query / from * to / from * to + query % from * to / from;
}

bool PartRun::has_all_maps() const {
  return std::ranges::find(maps, nullptr) == maps.end();
}

Extent PartRun::extent() const {
  Extent all;
  for (const auto& items : extents)
    all = united(all, items[static_cast<std::size_t>(std::clamp<Index>(item, 0, std::ssize(items) - 1))]);
  return all;
}

double PartRun::measure(Measure which, Index layer, Index head) const {
  const HeadValues& of = measures_of(layer)[which];
  return head < static_cast<Index>(of.values.size()) && of.missing == Missing::nothing
             ? of.values[static_cast<std::size_t>(head)]
             : std::numeric_limits<double>::quiet_NaN();
}

double PartRun::median(Measure which) const {
  std::vector<double> all;
  for (Index l = 0; l < layers(); ++l)
    for (Index m = 0; m < heads_of(l); ++m)
      if (const double value = measure(which, l, m); std::isfinite(value)) all.push_back(value);
  if (all.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, at);
  return *at;
}

}  // namespace headlight
