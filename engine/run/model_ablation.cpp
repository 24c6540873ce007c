#include <algorithm>
#include <cmath>

#include "engine/core/memory.h"
#include "engine/run/model_run.h"

namespace headlight {

namespace {

// The layers' problems, as many as a part of the free memory holds; the others are made again.
class KeptProblems {
 public:
  explicit KeptProblems(const ModelRunner& runner)
      : runner_(runner), kept_(static_cast<std::size_t>(runner.model().plan().layers)), room_(free_memory() / 3) {}

  // Of a layer, on a stream.
  Result<Problem> on(Index layer, const std::shared_ptr<const Tensor>& x) {
    auto problem = kept_[static_cast<std::size_t>(layer)];
    if (!problem) {
      HL_TRY(problem, runner_.prepare(layer, x));
      double bytes = 0;
      for (const auto& [id, values] : problem->arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
      if (bytes <= room_) kept_[static_cast<std::size_t>(layer)] = problem, room_ -= bytes;
    }
    Problem other = *problem;
    const auto old = other.arrays.at(other.specs.inputs.front().id);
    for (auto& [id, values] : other.arrays)
      if (values == old) values = x;
    return other;
  }

 private:
  const ModelRunner& runner_;
  std::vector<std::shared_ptr<const Problem>> kept_;
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

Result<std::optional<Tensor>> ablation_of(ModelRunner& runner, const Trace& trace,
                                          const std::vector<ModelHead>& ablated) {
  const ModelPlan& plan = runner.model().plan();
  HL_TRY(const HeadOutputs whole, runner.heads(trace.find("hidden")->tensor()));
  if (!asked(whole)) return std::nullopt;
  const std::vector<double> p = log_probabilities(*asked(whole));
  const Index n = asked(whole)->dim(-1);
  KeptProblems problems(runner);
  const auto off_in = [&](Index layer) {
    std::vector<Index> off;
    for (const ModelHead& head : ablated)
      if (head.layer == layer) off.push_back(head.head);
    return off;
  };
  Tensor result = Tensor::uninitialized({plan.layers, plan.heads});
  for (Index l = plan.layers - 1; l >= 0; --l) {
    HL_TRY(const Problem first, problems.on(l, trace.find(fmt::format("layer{}/input", l))->values));
    for (Index m = 0; m < plan.heads; ++m) {
      auto off = off_in(l);
      off.push_back(m);
      HL_TRY(const auto without, runner.record(first, off));
      auto x = without->output()->values;
      for (Index k = l + 1; k < plan.layers; ++k) {
        HL_TRY(const Problem next, problems.on(k, x));
        HL_TRY(const auto ran, runner.record(next, off_in(k)));
        x = ran->output()->values;
      }
      HL_TRY(const HeadOutputs outputs, runner.heads(*x));
      result[l * plan.heads + m] = static_cast<float>(divergence(p, log_probabilities(*asked(outputs)), n));
      if (runner.cancelled()) return fail("cancelled");
    }
  }
  return std::optional(std::move(result));
}

}  // namespace headlight
