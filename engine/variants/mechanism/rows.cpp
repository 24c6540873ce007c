#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/words.h"
#include "engine/variants/mechanism/mechanism.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// A row of an array (B, S, n_q, ·).
std::vector<double> row_of(const Step& step, Index batch, Index head, Index query) {
  const Tensor& x = step.tensor();
  const Index place = place_of_head(*step.axis(AxisRole::head), head);
  const float* at = x.data() + ((batch * x.dim(1) + place) * x.dim(2) + query) * x.dim(3);
  return {at, at + x.dim(3)};
}

std::vector<double> softmax_of(std::vector<double> row) {
  const double most = row.empty() ? hidden : *std::ranges::max_element(row);
  double sum = 0;
  for (double& x : row) sum += x = most == hidden ? 0 : std::exp(x - most);
  for (double& x : row) x = sum > 0 ? x / sum : 0;
  return row;
}

const char* what_it_does(const std::string& by) {
  if (by == "softmax_sink") return "A sink takes part in the sum and gives nothing: what is left over is nobody's.";
  if (by == "sigmoid") return "Each score by itself: keys do not compete; rows need not add up to 1.";
  if (by == "sparsemax") return "What lies below a threshold gets exactly 0, and the rest what is above it.";
  if (by == "entmax15") return "Small weights become exactly 0, as with sparsemax, but fade out before.";
  return "";
}

// The row's scores before and after the soft cap; nothing without one.
struct Capped {
  std::vector<double> before, after;
};
std::optional<Capped> capped(const Trace& trace, Index batch, Index head, Index query) {
  const Step* after = trace.find("capped_scores");
  const Step* before = after ? trace.scores_before(*after) : nullptr;
  if (!before) return std::nullopt;
  return Capped{row_of(*before, batch, head, query), row_of(*after, batch, head, query)};
}

// The weight of a score in a row that gives its greatest score, `top`, the weight `most`.
double weight_at(const std::string& by, double score, double top, double most, double bias) {
  if (by == "sigmoid") return 1 / (1 + std::exp(-score - bias));
  if (by == "sparsemax") return std::max(0.0, score - top + most);
  if (by == "entmax15") return std::pow(std::max(0.0, (score - top) / 2 + std::sqrt(most)), 2);
  return most * std::exp(score - top);
}

}  // namespace

bool has_row_rule(const Problem& problem) {
  return problem.variant->info().id == "multi_head" &&
         (problem.params.choice("normalize") != "softmax" || problem.params.real("softcap") > 0);
}

std::optional<RowRule> row_rule(const Problem& problem, const Trace& trace, Index batch, Index head, Index query) {
  const Step* map = has_row_rule(problem) ? trace.find("weights") : nullptr;
  const Step* scores = map ? trace.scores_before(*map) : nullptr;
  if (!scores) return std::nullopt;
  const std::string& by = problem.params.choice("normalize");
  const double cap = problem.params.real("softcap");
  RowRule rule{.title = {}, .what = what_it_does(by), .unclaimed = 0, .scores = {}, .weights = {}, .plain = {}};
  const auto& specs = problem.variant->params();
  if (by != "softmax") {
    const auto& choices = find_param(specs, "normalize")->choices;
    rule.title = lower_first(std::ranges::find(choices, by, &Choice::id)->title);
  }
  if (cap > 0) rule.title += fmt::format("{}soft cap {:g}", rule.title.empty() ? "" : " and ", cap);
  if (cap > 0)
    rule.what += fmt::format("{}Large scores are bent back, so no key stands out by more than {:g}.",
                             rule.what.empty() ? "" : " ", 2 * cap);
  rule.scores = row_of(*scores, batch, head, query);
  rule.weights = row_of(*map, batch, head, query);
  std::vector<double> uncapped = rule.scores;
  if (const auto bent = capped(trace, batch, head, query))
    for (std::size_t j = 0; j < uncapped.size(); ++j)
      uncapped[j] += bent->before[j] - bent->after[j];  // masks stay added
  rule.plain = softmax_of(std::move(uncapped));
  if (const Step* sink = trace.find("sink_weights")) rule.unclaimed = row_of(*sink, batch, head, query).front();
  return rule;
}

std::optional<RowCurve> row_curve(const Problem& problem, const Trace& trace, Index batch, Index head, Index query) {
  const auto rule = row_rule(problem, trace, batch, head, query);
  if (!rule) return std::nullopt;
  const std::string& by = problem.params.choice("normalize");
  const auto cap = capped(trace, batch, head, query);
  RowCurve curve;
  curve.of_cap = by == "softmax" && cap;
  curve.in = rule->scores;
  curve.out = rule->weights;
  if (curve.of_cap) {
    curve.in = cap->before;
    curve.out = cap->after;
  }
  double least = -hidden, top = hidden, most = 0;
  for (std::size_t j = 0; j < curve.in.size(); ++j) {
    if (!std::isfinite(rule->scores[j])) curve.in[j] = curve.out[j] = hidden;
    if (!std::isfinite(curve.in[j]) || !std::isfinite(curve.out[j])) continue;
    least = std::min(least, curve.in[j]);
    if (curve.in[j] > top) {
      top = curve.in[j];
      most = curve.out[j];
    }
  }
  if (least > top) return std::nullopt;
  const double greatest_plain = *std::ranges::max_element(rule->plain);
  double bias = 0;
  if (by == "sigmoid")
    bias = problem.params.is_automatic("sigmoid_bias") ? -std::log(static_cast<double>(curve.in.size()))
                                                       : problem.params.real("sigmoid_bias");
  constexpr int samples = 240;
  if (least == top) least -= 1;
  curve.first = least;
  curve.step = (top - least) / samples;
  const double c = problem.params.real("softcap");
  for (int i = 0; i <= samples; ++i) {
    const double score = least + curve.step * i;
    curve.here.push_back(curve.of_cap ? c * std::tanh(score / c) : weight_at(by, score, top, most, bias));
    if (curve.of_cap)
      curve.plain.push_back(score);
    else if (!cap)
      curve.plain.push_back(greatest_plain * std::exp(score - top));
  }
  return curve;
}

std::vector<double> row_sums(const Problem& problem, const Trace& trace, Index batch, Index head) {
  const Step* map = has_row_rule(problem) ? trace.find("weights") : nullptr;
  const std::string& by = map ? problem.params.choice("normalize") : "";
  if (by != "sigmoid" && by != "softmax_sink") return {};
  std::vector<double> sums;
  for (Index query = 0; query < map->extent(AxisRole::query); ++query) {
    double& sum = sums.emplace_back(0.0);
    for (const double weight : row_of(*map, batch, head, query)) sum += weight;
  }
  return sums;
}

}  // namespace headlight::mechanism
