#include "engine/trace/rule.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

using Form = Rule::Form;

// std::max would turn a NaN into 0.
double positive_part(double x) {
  return std::isnan(x) ? x : std::max(0.0, x);
}
double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

double root_of_mean(double squares, double count, double epsilon) {
  return std::sqrt(squares / count + epsilon);
}
double root_of_sum(double squares, double, double epsilon) {
  return std::max(std::sqrt(squares), epsilon);
}

constexpr std::array table{
    Rule{.combine = Combine::sum, .form = Form::of_sum, .name = "sum", .leaves = [](double) { return true; }},
    Rule{.combine = Combine::relu,
         .form = Form::of_sum,
         .name = "ReLU",
         .opening = "max(0, ",
         .closing = ")",
         .function = positive_part,
         .leaves = [](double result) { return result > 0; }},
    Rule{.combine = Combine::tanh,
         .form = Form::of_sum,
         .name = "tanh",
         .opening = "tanh(",
         .closing = ")",
         .function = hyperbolic_tangent},
    Rule{.combine = Combine::maximum,
         .form = Form::largest,
         .name = "largest",
         .opening = "largest of ",
         .zero_counts = true},
    Rule{.combine = Combine::softmax,
         .form = Form::share,
         .name = "softmax",
         .opening = "exp(",
         .closing = ")",
         .zero_counts = true,
         .operations = 5,  // maximum, subtract, exp, add, divide
         .number_each = false},
    Rule{.combine = Combine::rms_norm,
         .form = Form::by_length,
         .name = "root mean square",
         .opening = "√(mean of squares + ",
         .closing = ")",
         .length = root_of_mean,
         .zero_counts = true,
         .operations = 4,  // square and add, divide, stretch
         .number_each = false},
    Rule{.combine = Combine::unit_length,
         .form = Form::by_length,
         .name = "length",
         .opening = "max(√(sum of squares), ",
         .closing = ")",
         .length = root_of_sum,
         .zero_counts = true,
         .operations = 3,  // square and add, divide
         .number_each = false},
    Rule{.combine = Combine::layer_norm,
         .form = Form::normalised,
         .name = "normalised",
         .zero_counts = true,
         .operations = 8,  // two for the mean, three for the variance, three to stretch and shift
         .number_each = false},
    Rule{.combine = Combine::batch_norm,
         .form = Form::normalised_by,
         .name = "normalised",
         .operations = 4},  // subtract, divide, stretch, shift
};

// Does not compile without a row in its place.
template <Combine combine>
const Rule& row() {
  constexpr auto at = static_cast<std::size_t>(combine);
  static_assert(at < table.size() && table[at].combine == combine, "a rule needs its row, in the order of Combine");
  return table[at];
}

}  // namespace

const Rule& rule_of(Combine combine) {
  switch (combine) {  // no default: the compiler asks for a case, and the case for a row
    case Combine::sum:
      return row<Combine::sum>();
    case Combine::relu:
      return row<Combine::relu>();
    case Combine::tanh:
      return row<Combine::tanh>();
    case Combine::maximum:
      return row<Combine::maximum>();
    case Combine::softmax:
      return row<Combine::softmax>();
    case Combine::rms_norm:
      return row<Combine::rms_norm>();
    case Combine::unit_length:
      return row<Combine::unit_length>();
    case Combine::layer_norm:
      return row<Combine::layer_norm>();
    case Combine::batch_norm:
      return row<Combine::batch_norm>();
  }
  return row<Combine::sum>();
}

std::span<const Rule> rules() {
  return table;
}

double operations_of(const Explanation& explanation) {
  const Rule& rule = rule_of(explanation.combine);
  double numbers = rule.operations;
  if (rule.number_each)
    for (const Term& term : explanation.terms)
      numbers += static_cast<double>(
          std::ranges::count_if(term.factors, [](const Operand& factor) { return !factor.array.empty(); }));
  return std::max(1.0, numbers);
}

}  // namespace headlight
