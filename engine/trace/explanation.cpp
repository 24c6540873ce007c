#include "engine/trace/explanation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/trace/rule.h"
#include "engine/trace/thresholds.h"
#include "engine/trace/trace.h"

namespace headlight {

double value_of(const Operand& operand, const Trace& trace) {
  if (operand.array.empty()) return operand.value;
  const Step* step = trace.find(operand.array);
  assert(step && operand.cell >= 0 && operand.cell < step->tensor().size());
  return step->tensor()[operand.cell];
}

namespace {

double product_of(const Term& term, const ValueOf& value_of) {
  double product = 1;
  for (const auto& factor : term.factors) product *= value_of(factor);
  return product;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// exp(t_self − m) / Σ exp(t − m) with m = max t, so that nothing overflows; the sink, −∞ where there is none, is one
// more of them. A row of −∞ alone has weights 0.
double softmax_of(const std::vector<double>& values, std::size_t self, double sink) {
  double largest = sink;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, value);
  }
  if (std::isinf(largest) && largest < 0) return 0;
  double sum = std::exp(sink - largest);
  for (const double value : values) sum += std::exp(value - largest);
  return std::exp(values[self] - largest) / sum;
}

// Ba, Kiros and Hinton 2016, Layer Normalization, section 3, equation 3, with the variance over n (not n − 1).
double layer_norm_of(const std::vector<double>& values, std::size_t self, double epsilon) {
  const auto n = static_cast<double>(values.size());
  const double mean = sum_of(values) / n;
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean);
  return (values[self] - mean) / std::sqrt(variance / n + epsilon);
}

}  // namespace

double value_of(const Term& term, const Trace& trace) {
  return product_of(term, [&](const Operand& operand) { return value_of(operand, trace); });
}

std::vector<double> term_values(const std::vector<Term>& terms, const ValueOf& value_of) {
  std::vector<double> values;
  values.reserve(terms.size());
  for (const auto& term : terms) values.push_back(product_of(term, value_of));
  return values;
}

double evaluate(const Explanation& e, const ValueOf& value_of) {
  const auto values = term_values(e.terms, value_of);
  const auto parameter = [&](std::size_t i) { return value_of(e.parameters[i]); };
  const auto self = static_cast<std::size_t>(e.self);
  const Rule& rule = rule_of(e.combine);
  switch (rule.form) {
    case Rule::Form::of_sum: {
      const double sum = e.scale * sum_of(values);
      return rule.function ? e.times * rule.function(sum) : sum;
    }
    case Rule::Form::largest:
      return e.scale * largest_of<double>(values);
    case Rule::Form::share:
      return softmax_of(values, self, rule.has_sink ? parameter(0) : -std::numeric_limits<double>::infinity());
    case Rule::Form::above:
      return rule.above(values[self], rule.threshold(values));
    case Rule::Form::by_length: {
      const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
      const double length = rule.length(squares, static_cast<double>(values.size()), e.epsilon);
      return e.times * values[self] / length * (e.parameters.empty() ? 1 : parameter(0));
    }
    case Rule::Form::quotient:
      return parameter(0) == 0 ? 0 : e.scale * sum_of(values) / parameter(0);
    case Rule::Form::normalised:
      return layer_norm_of(values, self, e.epsilon) * parameter(0) + parameter(1);
    case Rule::Form::normalised_by:
      return (e.scale * sum_of(values) - parameter(2)) / std::sqrt(parameter(3) + e.epsilon) * parameter(0) +
             parameter(1);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double evaluate(const Explanation& explanation, const Trace& trace) {
  return evaluate(explanation, [&](const Operand& operand) { return value_of(operand, trace); });
}

}  // namespace headlight
