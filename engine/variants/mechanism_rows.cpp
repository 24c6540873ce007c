#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/variants/mechanism.h"
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
  if (by == "sigmoid") return "Each score by itself: keys do not compete, and the row need not add up to 1.";
  if (by == "sparsemax") return "What lies below a threshold gets exactly 0, and the rest what is above it.";
  if (by == "entmax15") return "Small weights become exactly 0, as with sparsemax, but fade out before.";
  return "";
}

}  // namespace

bool has_row_rule(const Problem& problem) {
  return problem.variant->info().id == "multi_head" &&
         (problem.params.choice("normalize") != "softmax" || problem.params.real("softcap") > 0);
}

std::optional<RowRule> row_rule(const Problem& problem, const Trace& trace, Index batch, Index head, Index query) {
  const Step* map = has_row_rule(problem) ? trace.find("weights") : nullptr;
  const Step* scores = map ? trace.before(*map) : nullptr;
  if (!scores) return std::nullopt;
  const std::string& by = problem.params.choice("normalize");
  const double cap = problem.params.real("softcap");
  RowRule rule{.title = {}, .what = what_it_does(by), .nobody = 0, .scores = {}, .weights = {}, .plain = {}};
  const auto& specs = problem.variant->params();
  if (by != "softmax") {
    const auto& choices = std::ranges::find(specs, "normalize", &ParamSpec::id)->choices;
    rule.title = std::ranges::find(choices, by, &Choice::id)->title;
  }
  if (cap > 0) rule.title += fmt::format("{}soft cap {:g}", rule.title.empty() ? "" : " and ", cap);
  if (cap > 0)
    rule.what += fmt::format("{}Large scores are bent back, so no key stands out by more than {:g}.",
                             rule.what.empty() ? "" : " ", 2 * cap);
  rule.scores = row_of(*scores, batch, head, query);
  rule.weights = row_of(*map, batch, head, query);
  std::vector<double> uncapped = rule.scores;
  if (const Step* capped = trace.find("capped_scores")) {
    const Step* before = trace.before(*capped);
    const std::vector<double> bent = row_of(*capped, batch, head, query);
    const std::vector<double> unbent = before ? row_of(*before, batch, head, query) : bent;
    for (std::size_t j = 0; j < uncapped.size(); ++j) uncapped[j] += unbent[j] - bent[j];  // masks stay added
  }
  rule.plain = softmax_of(std::move(uncapped));
  if (const Step* sink = trace.find("sink_weights")) rule.nobody = row_of(*sink, batch, head, query).front();
  return rule;
}

}  // namespace headlight::mechanism
