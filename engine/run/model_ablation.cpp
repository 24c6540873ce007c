#include <algorithm>
#include <cmath>

#include "engine/core/memory.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"

namespace headlight {

namespace {

// The layers' problems, as many as a part of the free memory holds; the others are made again.
class KeptProblems {
 public:
  explicit KeptProblems(const ModelRunner& runner) : runner_(runner), room_(free_memory() / 3) {}

  // Of a layer, on the streams before it.
  Result<Problem> on(LayerOfModel layer, const Streams& streams) {
    const auto known = kept_.find(layer);
    auto problem = known == kept_.end() ? nullptr : known->second;
    if (!problem) {
      HL_TRY(problem, runner_.prepare(layer, streams));
      double bytes = 0;
      for (const auto& [id, values] : problem->arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
      if (bytes <= room_) kept_[layer] = problem, room_ -= bytes;
    }
    Problem other = *problem;
    const LayerInputs ids = inputs_of_layers();
    const auto stream = other.arrays.at(ids.stream), memory = other.arrays.at(ids.memory);
    for (auto& [id, values] : other.arrays) {
      if (values == stream)
        values = streams.x;
      else if (values == memory)
        values = streams.memory;
    }
    return other;
  }

 private:
  const ModelRunner& runner_;
  std::map<LayerOfModel, std::shared_ptr<const Problem>> kept_;
  double room_;  // bytes
};

// Logarithms of the softmax of each row.
std::vector<double> log_probabilities(const Tensor& logits) {
  const Index n = logits.dim(-1);
  std::vector<double> result(static_cast<std::size_t>(logits.size()));
  for (Index row = 0; row < logits.size() / n; ++row) {
    const float* of = logits.data() + row * n;
    const double most = *std::max_element(of, of + n);
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += std::exp(of[j] - most);
    for (Index j = 0; j < n; ++j) result[static_cast<std::size_t>(row * n + j)] = of[j] - most - std::log(sum);
  }
  return result;
}

// Σ p ln(p / p′), the mean over rows of n.
double divergence(const std::vector<double>& p, const std::vector<double>& other, Index n) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double probability = std::exp(p[i]);
    if (probability > 0) sum += probability * (p[i] - other[i]);
  }
  return sum / static_cast<double>(static_cast<Index>(p.size()) / n);
}

const Tensor* asked(const HeadOutputs& outputs) {
  return outputs.logits ? &*outputs.logits : outputs.class_logits ? &*outputs.class_logits : nullptr;
}

}  // namespace

double mean_divergence(const Tensor& logits, const Tensor& other) {
  return divergence(log_probabilities(logits), log_probabilities(other), logits.dim(-1));
}

Result<std::map<ModelPart, Tensor>> ablation_of(ModelRunner& runner, const Trace& trace,
                                                const std::vector<ModelHead>& ablated) {
  const ModelPlan& plan = runner.model().plan();
  const auto step = [&](const std::string& id) { return trace.find(id)->values; };
  HL_TRY(const HeadOutputs whole, runner.heads(*step(plan.steps_of_stack(plan.parts().back()) + "hidden")));
  std::map<ModelPart, Tensor> result;
  if (!asked(whole)) return result;
  const std::vector<double> p = log_probabilities(*asked(whole));
  const Index n = asked(whole)->dim(-1);
  for (const ModelPart part : plan.parts()) result[part] = Tensor::uninitialized({plan.layers_of(part), plan.heads});
  const auto embeddings = plan.has_decoder() ? step(plan.steps_of_stack(ModelPart::decoder) + "embeddings") : nullptr;
  const auto memory = plan.has_decoder() ? step(step_of_memory(plan)) : nullptr;
  const std::vector<LayerOfModel> order = plan.order();
  KeptProblems problems(runner);
  for (std::size_t at = order.size(); at-- > 0;) {
    const Streams before{step(plan.steps_of(order[at]) + "input"), memory};
    for (Index m = 0; m < plan.heads; ++m) {
      Streams streams = before;
      for (std::size_t k = at; k < order.size(); ++k) {
        if (k > at && order[k] == LayerOfModel{0, ModelPart::decoder}) {
          HL_TRY(streams, runner.decoder_after(*streams.x, embeddings));
        }
        auto off = heads_off_in(ablated, order[k]);
        if (k == at) off.push_back(m);
        HL_TRY(const Problem problem, problems.on(order[k], streams));
        HL_TRY(const auto ran, runner.record(problem, off));
        streams.x = ran->output()->values;
      }
      HL_TRY(const HeadOutputs outputs, runner.heads(*streams.x));
      result[order[at].part][order[at].layer * plan.heads + m] =
          static_cast<float>(divergence(p, log_probabilities(*asked(outputs)), n));
      if (runner.cancelled()) return fail("cancelled");
    }
  }
  return result;
}

}  // namespace headlight
