#include "engine/run/logit_gradients.h"

#include <algorithm>
#include <utility>

#include "engine/core/memory.h"
#include "engine/models/windowed_block.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"
#include "engine/variants/recorder.h"

namespace headlight {

namespace {

// Whether its layers are one stack of maps that lie on one another.
Status check_stack(const ModelPlan& plan) {
  const char* has = plan.has_several_parts() ? "it has several stacks" : nullptr;
  if (!plan.stages.empty()) has = "its layers look at pictures of several sizes";
  if (has) return fail("{}: gradients of a logit are of models of one stack of layers, and {}", plan.type, has);
  return {};
}

// A layer's output, each number of which counts as much as in `weights`.
Result<Problem> asking(const Problem& problem, std::shared_ptr<const Tensor> weights) {
  HL_CHECK(problem.variant->check_gradients());
  Problem asked = problem;
  GradientAsked& gradient = asked.gradient.emplace();
  Recorder dry(asked);
  problem.variant->record(dry);
  for (const StepInfo& info : std::move(dry).outline())
    if (info.role == Role::output) gradient.of = info.id;  // the last
  gradient.weights = std::move(weights);
  for (const ArraySpec& spec : problem.specs.inputs) gradient.with_respect_to.insert(id_in_trace(spec));
  return asked;
}

// One batch item of a step (B, M, n, n); zeros where there is no step.
Tensor batch_item(const Step* step, const Tensor& like, Index item) {
  const Index cells = like.size() / like.dim(0);
  Tensor numbers({like.dim(1), like.dim(2), like.dim(3)});
  if (step) std::copy_n(step->tensor().data() + item * cells, cells, numbers.data());
  return numbers;
}

// What reaches the array that a layer reads by way of all inputs that it stands for.
Tensor of_read(const Trace& trace, const std::shared_ptr<const Tensor>& read) {
  Tensor sum(read->shape());
  for (const Step& source : trace.sources) {
    const Step* gradient = source.values == read ? trace.find(gradient_id(source.info.id)) : nullptr;
    for (Index i = 0; gradient && i < sum.size(); ++i) sum[i] += gradient->tensor()[i];
  }
  return sum;
}

}  // namespace

Result<std::shared_ptr<const Tensor>> ModelRunner::gradient_before(LayerOfModel number, const Tensor& stream,
                                                                   const Tensor& of_read, const Tensor& of_after) {
  const ModelPlan& plan = model_.plan();
  Tensor before = Tensor(of_read);
  if (plan.norms_input) {
    HL_TRY(const LayerOfStateDict layer, kept_.layer(number));
    before = gradient_of_norm_beside(layer, plan, "ln", stream, of_read);
  }
  for (Index i = 0; plan.adds_input && i < before.size(); ++i) before[i] += of_after[i];
  return std::make_shared<const Tensor>(std::move(before));
}

namespace {

// Equations 5 and 6.
Tensor relevance_of(const LogitGradients& made, ThreadPool& pool) {
  const auto layers = static_cast<Index>(made.weights.size());
  const Index heads = made.weights.front().dim(0), n = made.weights.front().dim(1);
  Tensor all = Tensor::uninitialized({layers, n, n});
  std::vector<double> mean(static_cast<std::size_t>(n * n)), before(mean);
  for (Index i = 0; i < n; ++i) before[static_cast<std::size_t>(i * n + i)] = 1;
  for (Index l = 0; l < layers; ++l) {
    const Tensor &weights = made.weights[static_cast<std::size_t>(l)],
                 &gradients = made.gradients[static_cast<std::size_t>(l)];
    std::ranges::fill(mean, 0);
    for (Index at = 0; at < weights.size(); ++at)
      mean[static_cast<std::size_t>(at % (n * n))] +=
          std::max(0.0, static_cast<double>(weights[at]) * gradients[at]) / static_cast<double>(heads);
    std::vector<double> now = before;
    pool.for_each(n, 8, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        for (Index k = 0; k < n; ++k)
          for (Index j = 0; j < n; ++j) now[i * n + j] += mean[i * n + k] * before[k * n + j];
    });
    std::ranges::transform(now, all.data() + l * n * n, [](double value) { return static_cast<float>(value); });
    before = std::move(now);
  }
  return all;
}

}  // namespace

Result<LogitGradients> logit_gradients(ModelRunner& runner, const Trace& trace, const LogitAsked& asked,
                                       const std::vector<ModelHead>& ablated, std::atomic<float>* progress) {
  const ModelPlan& plan = runner.model().plan();
  HL_CHECK(check_stack(plan));
  const std::string stream_read = inputs_of_layers(variant_of(plan)).stream;
  const auto step = [&](const std::string& id) { return trace.find(id)->values; };
  HL_TRY(LogitGradient last, runner.logit_gradient(*step(plan.steps_of_stack(plan.only) + "hidden"), asked));
  const auto layers = static_cast<std::size_t>(plan.layers), n = static_cast<std::size_t>(last.of_hidden.dim(1));
  HL_CHECK(check_memory(2.0 * static_cast<double>(layers * n * n) * static_cast<double>(plan.heads) * sizeof(float)));
  LogitGradients made{last.value, std::vector<Tensor>(layers), std::vector<Tensor>(layers), {}};
  auto after = std::make_shared<const Tensor>(std::move(last.of_hidden));
  for (std::size_t l = layers; l-- > 0;) {
    const LayerOfModel layer{static_cast<Index>(l), plan.only};
    const Streams streams{step(plan.steps_of(layer) + "input"), nullptr};
    HL_TRY(const auto problem, runner.prepare(layer, streams));
    HL_TRY(const Problem with_gradient, asking(*problem, after));
    HL_TRY(const auto ran, runner.record(layer, with_gradient, heads_off_in(ablated, layer)));
    if (runner.cancelled()) return fail("cancelled");
    const Step* map = ran->map();
    made.weights[l] = batch_item(map, map->tensor(), asked.item);
    made.gradients[l] = batch_item(ran->find(gradient_id(map->info.id)), map->tensor(), asked.item);
    const Tensor read = of_read(*ran, problem->arrays.at(stream_read));
    HL_TRY(after, runner.gradient_before(layer, *streams.x, read, *after));
    if (progress) progress->store(static_cast<float>(layers - l) / static_cast<float>(layers));
  }
  made.relevance = relevance_of(made, runner.pool());
  return made;
}

}  // namespace headlight
