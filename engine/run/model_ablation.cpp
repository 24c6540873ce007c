#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/memory.h"
#include "engine/math/math.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"

namespace headlight {

KeptProblems::KeptProblems() : room_(free_memory() / 3) {}

Result<Problem> KeptProblems::get(const ModelRunner& runner, LayerOfModel layer, const Streams& streams) {
  const auto known = kept_.find(layer);
  auto problem = known == kept_.end() ? nullptr : known->second;
  if (!problem) {
    HL_TRY(problem, runner.prepare(layer, streams));
    double bytes = 0;
    for (const auto& [id, values] : problem->arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
    if (bytes <= room_) {
      kept_[layer] = problem;
      room_ -= bytes;
    }
  }
  Problem other = *problem;
  const LayerInputs ids = inputs_of_layers(variant_of(runner.model().plan()));
  const auto stream = other.arrays.at(ids.stream);
  const auto memory = ids.memory.empty() ? nullptr : other.arrays.at(ids.memory);
  HL_TRY(const auto read, runner.layer_input(layer, streams));
  for (auto& [id, values] : other.arrays) {
    if (values == stream)
      values = read;
    else if (values == memory)
      values = streams.memory;
  }
  return other;
}

namespace {

const Tensor* asked(const HeadOutputs& outputs) {
  if (outputs.logits) return &*outputs.logits;
  return outputs.class_logits ? &*outputs.class_logits : nullptr;
}

// Σ p ln(p / p′) of two rows of n logits.
double divergence(const float* row, const float* other, Index n) {
  const double sum = math::log_sum_exp(row, n), other_sum = math::log_sum_exp(other, n);
  double result = 0;
  for (Index j = 0; j < n; ++j) {
    const double p = row[j] - sum, q = other[j] - other_sum, probability = std::exp(p);
    if (probability > 0) result += probability * (p - q);
  }
  return result;
}

}  // namespace

double mean_divergence(const Tensor& logits, const Tensor& other, ThreadPool& pool) {
  const Index n = logits.dim(-1), rows = logits.size() / n;
  std::vector<double> each(static_cast<std::size_t>(rows));
  pool.for_each(rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      each[static_cast<std::size_t>(row)] = divergence(logits.data() + row * n, other.data() + row * n, n);
  });
  return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(rows);
}

HeadAblation::HeadAblation(const ModelPlan& plan, const Trace& trace, std::shared_ptr<const Tensor> logits,
                           std::vector<ModelHead> ablated)
    : plan_(plan), trace_(trace), logits_(std::move(logits)), ablated_(std::move(ablated)) {}

Result<double> HeadAblation::kl_without(ModelRunner& runner, ModelHead without) {
  const auto step = [&](const std::string& id) { return trace_.find(id)->values; };
  const std::vector<LayerOfModel> order = plan_.order();
  const std::size_t first = plan_.place_of(without.of());
  Streams streams{step(plan_.steps_of(order[first]) + "input"),
                  plan_.has_decoder() ? step(step_of_memory(plan_)) : nullptr};
  for (std::size_t at = first; at < order.size(); ++at) {
    if (at > first && order[at] == LayerOfModel{0, ModelPart::decoder}) {
      const auto embeddings = step(plan_.steps_of_stack(ModelPart::decoder) + "embeddings");
      HL_TRY(streams, runner.decoder_streams(*streams.x, embeddings));
    }
    auto off = heads_off_in(ablated_, order[at]);
    if (at == first) off.push_back(without.head);
    HL_TRY(const Problem problem, problems_.get(runner, order[at], streams));
    HL_TRY(const auto ran, runner.record(order[at], problem, off));
    if (runner.cancelled()) return fail("cancelled");
    HL_TRY(streams.x, runner.stream_after(order[at], streams, *ran));
  }
  HL_TRY(const HeadOutputs outputs, runner.heads(*streams.x));
  if (runner.cancelled()) return fail("cancelled");
  return mean_divergence(*logits_, *asked(outputs), runner.pool());
}

Result<std::map<ModelPart, Tensor>> ablation_of(ModelRunner& runner, const Trace& trace,
                                                const std::vector<ModelHead>& ablated) {
  const ModelPlan& plan = runner.model().plan();
  std::map<ModelPart, Tensor> result;
  if (!plan.towers.empty()) return result;  // what they say of each other is no distribution
  HL_TRY(HeadOutputs whole, runner.heads(*trace.find(plan.steps_of_stack(plan.parts().back()) + "hidden")->values));
  if (!asked(whole)) return result;
  auto& logits = whole.logits ? whole.logits : whole.class_logits;
  HeadAblation heads(plan, trace, std::make_shared<const Tensor>(std::move(*logits)), ablated);
  for (const ModelPart part : plan.parts()) {
    result[part] = Tensor::uninitialized({plan.layers_of(part), plan.heads});
    std::ranges::fill(result[part].values(), std::numeric_limits<float>::quiet_NaN());  // of heads that there are not
  }
  for (const LayerOfModel layer : plan.order())
    for (Index m = 0; m < plan.heads_of(layer); ++m) {
      HL_TRY(const double lost, heads.kl_without(runner, {layer.layer, m, layer.part}));
      result[layer.part][layer.layer * plan.heads + m] = static_cast<float>(lost);
    }
  return result;
}

}  // namespace headlight
