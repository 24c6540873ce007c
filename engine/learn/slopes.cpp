#include "engine/learn/slopes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/variants/gradient_asked.h"

namespace headlight::learn {

namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

// What hides keys from the queries of a map: scores that were masked; null where nothing does.
const Step* hidden_by(const Trace& trace, const Step& map) {
  const Step* scores = trace.scores_before(map);
  const bool masked = scores && scores->info.minus_infinity_masks;
  return masked && scores->tensor().shape() == map.tensor().shape() ? scores : nullptr;
}

// Of a step as large as a map, that of the first example (M, n_q, n_k).
std::shared_ptr<Tensor> first_of(const Trace& trace, const Step& map, const Step& step) {
  const Tensor& all = step.tensor();
  const auto each = static_cast<std::size_t>(all.size() / all.dim(0));
  const Index queries = all.dim(-2), keys = all.dim(-1);
  auto cells = std::make_shared<Tensor>(
      Tensor::from({all.rank() == 3 ? 1 : all.dim(1), queries, keys}, all.values().first(each)));
  if (const Step* scores = hidden_by(trace, map))
    for (Index cell = 0; cell < cells->size(); ++cell)
      if (scores->tensor()[cell] == hidden) (*cells)[cell] = hidden;
  return cells;
}

// How much is asked of the examples.
double count_asked(const Network& network) {
  const Problem& loss = network.problem_of(loss_part);
  const Tensor* asked = loss.find("asked");
  double count = 0;
  for (const float value : (asked ? *asked : *loss.find("answers")).values()) count += asked ? value : value >= 0;
  return count;
}

bool is_softmax(const Step& map) {
  const Combine rule = map.base_explain() ? map.base_explain()(0).combine : Combine::sum;
  return rule == Combine::softmax || rule == Combine::softmax_sink;
}

}  // namespace

std::shared_ptr<const Tensor> map_of_first(const Trace& trace) {
  const Step* map = trace.map();
  return map ? first_of(trace, *map, *map) : nullptr;
}

Slopes slopes_of(Network& network, const std::vector<ShownMap>& maps, Compute& compute) {
  const double asked = count_asked(network);
  Slopes slopes{.loss = asked * network.forward(compute), .maps = {}};
  network.backward(compute);
  for (const ShownMap& shown : maps) {
    const Trace& trace = network.trace_of(shown.given);
    const Step* map = trace.map();
    if (!map) continue;
    // What has no gradient, the loss does not depend on. The loss of the network is a mean.
    const auto slope_of = [&](const Step& step) {
      const Step* gradient = trace.find(gradient_id(step.info.id));
      auto slope = first_of(trace, *map, gradient ? *gradient : *map);
      for (float& value : slope->values())
        if (value != hidden) value *= gradient ? static_cast<float>(asked) : 0;
      return slope;
    };
    const Step* scores = is_softmax(*map) ? trace.scores_before(*map) : nullptr;
    slopes.maps.push_back({slope_of(*map), scores ? slope_of(*scores) : nullptr});
  }
  return slopes;
}

}  // namespace headlight::learn
