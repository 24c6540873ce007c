#include "engine/run/model_gradient.h"

#include <algorithm>
#include <cmath>

#include "engine/variants/gradient_asked.h"

namespace headlight {

namespace {

Status check_asked(const ModelPlan& plan, const Trace& trace, const LogitAsked& asked) {
  const auto order = plan.order();
  const bool one_stack =
      std::ranges::all_of(order, [&](LayerOfModel layer) { return layer.part == order.front().part; });
  if (!one_stack || plan.reads_apart())
    return fail("{}: gradients of a logit go back through one stack of plain layers, which this has not", plan.type);
  const Step* embeddings = trace.find(plan.steps_of_stack(order.back().part) + "embeddings");
  if (!embeddings) return fail("{}: this run kept no streams to go back through", plan.type);
  const Shape& shape = embeddings->tensor().shape();
  if (asked.item < 0 || asked.item >= shape[0]) return fail("item {}: there are {}", asked.item, shape[0]);
  if (asked.place >= shape[1]) return fail("place {}: there are {}, counted from 0", asked.place, shape[1]);
  return {};
}

// ∂L/∂ an array of the layer, summed over all that the same stream came in as.
Tensor gradient_of_stream(const Trace& ran, const Problem& problem, const Tensor& stream) {
  Tensor sum(stream.shape());
  for (const auto& [id, values] : problem.arrays) {
    const Step* step = values.get() == &stream ? ran.find(gradient_of(id)) : nullptr;
    if (!step) continue;
    for (Index i = 0; i < sum.size(); ++i) sum[i] += step->tensor()[i];
  }
  return sum;
}

// One item of (B, M, n_q, n_k); −∞ and NaN of what is masked are 0.
Tensor item_of(const Tensor& all, Index item) {
  const Index size = all.size() / all.dim(0);
  Tensor one = Tensor::uninitialized({all.dim(1), all.dim(2), all.dim(3)});
  for (Index i = 0; i < size; ++i) {
    const float value = all[item * size + i];
    one[i] = std::isfinite(value) ? value : 0;
  }
  return one;
}

// R + Ā·R.
Tensor with_layer(const Tensor& relevance, const Tensor& weights, const Tensor& gradients) {
  const Index heads = weights.dim(0), n = weights.dim(1);
  std::vector<double> mean(static_cast<std::size_t>(n * n), 0);
  for (Index m = 0; m < heads; ++m)
    for (Index i = 0; i < n * n; ++i) {
      const double product = static_cast<double>(weights[m * n * n + i]) * gradients[m * n * n + i];
      mean[static_cast<std::size_t>(i)] += std::max(0.0, product) / static_cast<double>(heads);
    }
  Tensor next(relevance);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index k = 0; k < n; ++k) sum += mean[static_cast<std::size_t>(i * n + k)] * relevance[k * n + j];
      next[i * n + j] += static_cast<float>(sum);
    }
  return next;
}

}  // namespace

double LogitGradients::of_head(Index layer, Index head) const {
  const auto at = static_cast<std::size_t>(layer);
  const Index size = weights[at].size() / weights[at].dim(0);
  double sum = 0;
  for (Index i = head * size; i < (head + 1) * size; ++i) sum += static_cast<double>(weights[at][i]) * gradients[at][i];
  return sum;
}

Result<LogitGradients> gradients_of_logit(ModelRunner& runner, const Trace& trace, const LogitAsked& asked) {
  const ModelPlan& plan = runner.model().plan();
  HL_CHECK(check_asked(plan, trace, asked));
  const std::vector<LayerOfModel> order = plan.order();
  const Step* hidden = trace.find(plan.steps_of_stack(order.back().part) + "hidden");
  if (!hidden) return fail("{}: this run kept no streams to go back through", plan.type);
  LogitGradients made;
  const Index n = hidden->tensor().dim(1);
  made.place = asked.place < 0 ? n - 1 : asked.place;
  HL_TRY(LogitBehind behind, runner.behind_logit(hidden->tensor(), asked.item, made.place, asked.token, asked.against));
  made.logit = behind.logit;
  auto gradient = std::make_shared<const Tensor>(std::move(behind.gradient));
  made.weights.resize(order.size());
  made.gradients.resize(order.size());
  for (std::size_t at = order.size(); at-- > 0;) {
    if (runner.cancelled()) return fail("cancelled");
    const Streams streams{trace.find(plan.steps_of(order[at]) + "input")->values, nullptr};
    HL_TRY(const auto prepared, runner.prepare(order[at], streams));
    Problem problem = *prepared;
    GradientAsked back;
    for (const auto& [id, values] : problem.arrays)
      if (values.get() == streams.x.get()) back.with_respect_to.insert(id);
    HL_TRY(const auto forward, runner.record(order[at], problem, heads_off_in(asked.heads_off, order[at])));
    const Step *output = forward->output(), *map = forward->map();
    if (!output || !map) return fail("{}: a layer of it has no map of attention", plan.type);
    back.of = output->info.id;
    back.weights = gradient;
    HL_CHECK(problem.variant->check_gradients());
    problem.gradient = back;
    HL_TRY(const auto ran, runner.record(order[at], problem, heads_off_in(asked.heads_off, order[at])));
    if (runner.cancelled()) return fail("cancelled");
    const Step* of_map = ran->find(gradient_of(map->info.id));
    if (!of_map) return fail("{}: what layer {} gives does not depend on its weights", plan.type, order[at].layer);
    made.weights[at] = item_of(map->tensor(), asked.item);
    made.gradients[at] = item_of(of_map->tensor(), asked.item);
    Tensor before = gradient_of_stream(*ran, problem, *streams.x);
    if (plan.adds_input)
      for (Index i = 0; i < before.size(); ++i) before[i] += (*gradient)[i];
    gradient = std::make_shared<const Tensor>(std::move(before));
  }
  made.relevance = Tensor({n, n});
  for (Index i = 0; i < n; ++i) made.relevance[i * n + i] = 1;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Tensor& weights = made.weights[at];
    if (weights.dim(1) != n || weights.dim(2) != n)
      return fail("{}: layer {} has a map of {} × {}, not of {} × {}", plan.type, order[at].layer, weights.dim(1),
                  weights.dim(2), n, n);
    made.relevance = with_layer(made.relevance, weights, made.gradients[at]);
  }
  return made;
}

}  // namespace headlight
