#include "app/state/network_part.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/reading/step_words.h"
#include "engine/measures/weight_on_keys.h"

namespace headlight::app {

namespace {

// (B, M, n, n) with −∞ where the key is hidden.
std::shared_ptr<const Tensor> with_hidden(const Trace& trace, const Step& map) {
  Tensor shown = Tensor::uninitialized(map.tensor().shape());
  float* to = shown.data();
  for (Index b = 0; b < map.tensor().dim(0); ++b)
    for (Index m = 0; m < map.tensor().dim(1); ++m) {
      Focus focus;
      focus.batch = b;
      focus.head = m;
      focus.flat = true;
      auto owner = map.values;
      const MatrixView cells = cells_of(trace, map, focus, owner);
      for (Index i = 0; i < cells.rows; ++i)
        for (Index j = 0; j < cells.columns; ++j) *to++ = cells.at(i, j);
    }
  return std::make_shared<const Tensor>(std::move(shown));
}

constexpr Index most_mixed = 512;  // positions: rollout costs their cube

Step mean_over_heads(const Step& map) {
  const Tensor& of = map.tensor();
  const Index items = of.dim(0), heads = of.dim(1), cells = of.dim(2) * of.dim(3);
  Tensor mean({items, 1, of.dim(2), of.dim(3)});
  for (Index b = 0; b < items; ++b)
    for (Index m = 0; m < heads; ++m)
      for (Index c = 0; c < cells; ++c)
        mean[b * cells + c] += of[(b * heads + m) * cells + c] / static_cast<float>(heads);
  Step step;
  step.info.id = map.info.id;
  step.values = std::make_shared<const Tensor>(std::move(mean));
  return step;
}

// Of the first item, a map a layer, with −∞ where the keys of its heads are hidden.
std::shared_ptr<const Tensor> stacked(const std::vector<std::shared_ptr<const Tensor>>& hidden,
                                      const std::function<const float*(Index layer)>& of) {
  const auto layers = static_cast<Index>(hidden.size());
  const Index n = hidden.front()->dim(2), keys = hidden.front()->dim(3);
  Tensor all = Tensor::uninitialized({layers, n, keys});
  for (Index l = 0; l < layers; ++l)
    for (Index c = 0; c < n * keys; ++c) {
      const float shown = (*hidden[static_cast<std::size_t>(l)])[c];
      // What earlier layers have brought there is shown, whatever this one hides.
      all[l * n * keys + c] = std::isinf(shown) && of(l)[c] == 0 ? shown : of(l)[c];
    }
  return std::make_shared<const Tensor>(std::move(all));
}

// Of the map alone: its share of the output would cost more than the run itself.
HeadMeasures measured(const Step& map, const std::vector<Index>& special, Compute& compute) {
  Trace alone;
  alone.steps.push_back(map);
  HeadMeasures measures = measure_heads(alone, alone.steps.front(), compute, ReadRows::as_they_are);
  if (!special.empty()) measures[Measure::special] = {weight_on_keys(map, special), Missing::nothing};
  return measures;
}

}  // namespace

void add_layer(PartRun& part, const Trace& trace, const Step& map, const std::vector<Index>& special,
               Compute& compute) {
  part.maps.push_back(with_hidden(trace, map));
  part.measures.push_back(measured(map, special, compute));
  if (std::max(map.tensor().dim(2), map.tensor().dim(3)) <= most_mixed) part.mean_maps.push_back(mean_over_heads(map));
}

void take_layers(PartRun& part, const PartRun& from, Index layers) {
  part.maps.assign(from.maps.begin(), from.maps.begin() + layers);
  part.measures.assign(from.measures.begin(), from.measures.begin() + layers);
  if (!from.mean_maps.empty()) part.mean_maps.assign(from.mean_maps.begin(), from.mean_maps.begin() + layers);
}

void mix_layers(PartRun& part, Compute& compute) {
  if (part.mean_maps.empty()) return;
  std::vector<const Step*> steps;
  for (const Step& step : part.mean_maps) steps.push_back(&step);
  part.means = stacked(part.maps, [&](Index l) { return steps[static_cast<std::size_t>(l)]->tensor().data(); });
  if (!in_first_stack(part.part)) return;
  const Index cells = part.queries() * part.keys();
  if (const auto rolled = headlight::rollout(steps, compute))
    part.rollout = stacked(part.maps, [&](Index l) { return rolled->data() + l * cells; });
}

bool PartRun::hides_later() const {
  const Tensor& map = *maps.front();
  const Index last = map.dim(3);
  return last > 1 && std::isinf(map[last - 1]);  // the first query does not see the last key
}

double PartRun::measure(Measure which, Index layer, Index head) const {
  const OfHeads& of = measures[static_cast<std::size_t>(layer)][which];
  return head < static_cast<Index>(of.values.size()) && of.missing == Missing::nothing
             ? of.values[static_cast<std::size_t>(head)]
             : std::numeric_limits<double>::quiet_NaN();
}

double PartRun::middle(Measure which) const {
  std::vector<double> all;
  for (Index l = 0; l < layers(); ++l)
    for (Index m = 0; m < measures[static_cast<std::size_t>(l)].heads; ++m)
      if (const double value = measure(which, l, m); std::isfinite(value)) all.push_back(value);
  if (all.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, at);
  return *at;
}

}  // namespace headlight::app
