#include "engine/trace/derivative.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/trace/rule.h"

namespace headlight {

namespace {

using Visit = std::function<void(const Operand& operand, double partial)>;

// One explanation, with the numbers of its terms.
class Derivative {
 public:
  Derivative(const Explanation& e, const ValueOf& value_of, const Visit& visit)
      : e_(e), rule_(rule_of(e.combine)), value_of_(value_of), visit_(visit), values_(term_values(e.terms, value_of)) {}

  void of_sum() const {
    const double sum = e_.scale * std::accumulate(values_.begin(), values_.end(), 0.0);
    const double slope = rule_.function ? e_.times * rule_.slope(sum) : 1;
    for (std::size_t t = 0; t < values_.size(); ++t) by_term(t, slope * e_.scale);
  }

  void largest() const {
    if (values_.empty()) return;
    by_term(static_cast<std::size_t>(std::ranges::max_element(values_) - values_.begin()), e_.scale);
  }

  // ∂a_s/∂t = a_s (δ − a_t).
  void share() const {
    const double sink = rule_.has_sink ? parameter(0) : -std::numeric_limits<double>::infinity();
    const double most = std::max(sink, *std::ranges::max_element(values_));
    if (std::isinf(most)) return;  // nobody is seen: 0, whatever the terms
    double sum = std::exp(sink - most);
    for (const double value : values_) sum += std::exp(value - most);
    const double own = std::exp(values_[self()] - most) / sum;
    for (std::size_t t = 0; t < values_.size(); ++t)
      by_term(t, own * ((t == self() ? 1 : 0) - std::exp(values_[t] - most) / sum));
    if (rule_.has_sink) by_parameter(0, -own * std::exp(sink - most) / sum);
  }

  // ∂p_self/∂t = s_self (δ − s_t / Σ s), where s_i is 1 (sparsemax) or √p_i (entmax 1.5) for p_i > 0, else 0. Peters,
  // Niculae and Martins 2019, proposition 2.
  void above() const {
    const double threshold = rule_.threshold(values_);
    std::vector<double> s;
    for (const double value : values_) {
      const double left = rule_.above(value, threshold), is_above = left > 0 ? 1 : 0;
      s.push_back(rule_.halved_and_squared ? std::sqrt(left) : is_above);
    }
    const double sum = std::accumulate(s.begin(), s.end(), 0.0);
    if (sum == 0) return;
    for (std::size_t t = 0; t < s.size(); ++t) by_term(t, s[self()] * ((t == self() ? 1 : 0) - s[t] / sum));
  }

  // y = v_self / length · γ.
  void by_length() const {
    const double squares = std::inner_product(values_.begin(), values_.end(), values_.begin(), 0.0);
    const auto count = static_cast<double>(values_.size());
    const double length = rule_.length(squares, count, e_.epsilon), gamma = e_.parameters.empty() ? 1 : parameter(0);
    const double slope = rule_.length_slope(squares, count, e_.epsilon), by = e_.times * gamma / length;
    for (std::size_t t = 0; t < values_.size(); ++t)
      by_term(t, by * ((t == self() ? 1 : 0) - values_[self()] * 2 * values_[t] * slope / length));
    if (!e_.parameters.empty()) by_parameter(0, e_.times * values_[self()] / length);
  }

  void quotient() const {
    const double divisor = parameter(0);
    if (divisor == 0) return;
    for (std::size_t t = 0; t < values_.size(); ++t) by_term(t, e_.scale / divisor);
    by_parameter(0, -e_.scale * std::accumulate(values_.begin(), values_.end(), 0.0) / (divisor * divisor));
  }

  // z = (v_self − mean) / σ: ∂z/∂v = (δ − 1/n − z z_t / n) / σ.
  void normalised() const {
    const auto n = static_cast<double>(values_.size());
    const double mean = std::accumulate(values_.begin(), values_.end(), 0.0) / n;
    double variance = 0;
    for (const double value : values_) variance += (value - mean) * (value - mean) / n;
    const double deviation = std::sqrt(variance + e_.epsilon), own = (values_[self()] - mean) / deviation;
    const double by = parameter(0) / deviation;
    for (std::size_t t = 0; t < values_.size(); ++t)
      by_term(t, by * ((t == self() ? 1 : 0) - 1 / n - own * (values_[t] - mean) / deviation / n));
    by_parameter(0, own);
    by_parameter(1, 1);
  }

  void normalised_by() const {
    const double deviation = std::sqrt(parameter(3) + e_.epsilon), by = parameter(0) / deviation;
    const double z = (e_.scale * std::accumulate(values_.begin(), values_.end(), 0.0) - parameter(2)) / deviation;
    for (std::size_t t = 0; t < values_.size(); ++t) by_term(t, by * e_.scale);
    by_parameter(0, z);
    by_parameter(1, 1);
    by_parameter(2, -by);
    by_parameter(3, -parameter(0) * z / (2 * deviation * deviation));
  }

 private:
  std::size_t self() const { return static_cast<std::size_t>(e_.self); }
  double parameter(std::size_t i) const { return value_of_(e_.parameters[i]); }
  void visit(const Operand& operand, double partial) const {
    if (!operand.array.empty() && partial != 0) visit_(operand, partial);
  }
  void by_parameter(std::size_t i, double partial) const { visit(e_.parameters[i], partial); }
  // The term changes with each of its factors by the product of the others.
  void by_term(std::size_t t, double partial) const {
    if (partial == 0) return;
    const auto& factors = e_.terms[t].factors;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      double others = partial;
      for (std::size_t other = 0; other < factors.size(); ++other)
        if (other != f) others *= value_of_(factors[other]);
      visit(factors[f], others);
    }
  }

  const Explanation& e_;
  const Rule& rule_;
  const ValueOf& value_of_;
  const Visit& visit_;
  std::vector<double> values_;
};

}  // namespace

void differentiate(const Explanation& explanation, const ValueOf& value_of, const Visit& visit) {
  const Derivative derivative(explanation, value_of, visit);
  switch (rule_of(explanation.combine).form) {
    case Rule::Form::of_sum:
      return derivative.of_sum();
    case Rule::Form::largest:
      return derivative.largest();
    case Rule::Form::share:
      return derivative.share();
    case Rule::Form::above:
      return derivative.above();
    case Rule::Form::by_length:
      return derivative.by_length();
    case Rule::Form::quotient:
      return derivative.quotient();
    case Rule::Form::normalised:
      return derivative.normalised();
    case Rule::Form::normalised_by:
      return derivative.normalised_by();
  }
}

}  // namespace headlight
