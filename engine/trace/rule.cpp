#include "engine/trace/rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/trace/thresholds.h"

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

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
// Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.
double gelu(double x) {
  return x / 2 * std::erfc(-x / std::numbers::sqrt2);
}
double gelu_by_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double silu(double x) {
  return x * sigmoid(x);
}

double exponential(double x) {
  return std::exp(x);
}
// Clevert et al. 2016, ELU, section 3, plus 1: above 0 everywhere.
double elu_plus_one(double x) {
  return x > 0 ? x + 1 : std::exp(x);
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
    Rule{.combine = Combine::sigmoid,
         .form = Form::of_sum,
         .name = "sigmoid",
         .opening = "sigmoid(",
         .closing = ")",
         .function = sigmoid},
    Rule{.combine = Combine::gelu,
         .form = Form::of_sum,
         .name = "GELU",
         .opening = "gelu(",
         .closing = ")",
         .function = gelu},
    Rule{.combine = Combine::gelu_tanh,
         .form = Form::of_sum,
         .name = "GELU by tanh",
         .opening = "gelu_tanh(",
         .closing = ")",
         .function = gelu_by_tanh},
    Rule{.combine = Combine::silu,
         .form = Form::of_sum,
         .name = "SiLU",
         .opening = "silu(",
         .closing = ")",
         .function = silu},
    Rule{.combine = Combine::exponential,
         .form = Form::of_sum,
         .name = "exp",
         .opening = "exp(",
         .closing = ")",
         .function = exponential},
    Rule{.combine = Combine::elu_plus_one,
         .form = Form::of_sum,
         .name = "ELU + 1",
         .opening = "elu_plus_one(",
         .closing = ")",
         .function = elu_plus_one},
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
    Rule{.combine = Combine::softmax_sink,
         .form = Form::share,
         .name = "softmax, sink",
         .opening = "exp(",
         .closing = ")",
         .has_sink = true,
         .zero_counts = true,
         .operations = 5,
         .number_each = false},
    Rule{.combine = Combine::sparsemax,
         .form = Form::above,
         .name = "sparsemax",
         .threshold = sparsemax_threshold,
         .zero_counts = true,
         .operations = 5,  // as the paper finds it: compare in sorting, add, find the threshold, subtract, maximum
         .number_each = false},
    Rule{.combine = Combine::entmax15,
         .form = Form::above,
         .name = "entmax 1.5",
         .threshold = entmax15_threshold,
         .halved_and_squared = true,
         .zero_counts = true,
         .operations = 10,  // also halve, the mean and the spread of those above, square
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
    Rule{.combine = Combine::quotient, .form = Form::quotient, .name = "share", .operations = 1},
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
    case Combine::sigmoid:
      return row<Combine::sigmoid>();
    case Combine::gelu:
      return row<Combine::gelu>();
    case Combine::gelu_tanh:
      return row<Combine::gelu_tanh>();
    case Combine::silu:
      return row<Combine::silu>();
    case Combine::exponential:
      return row<Combine::exponential>();
    case Combine::elu_plus_one:
      return row<Combine::elu_plus_one>();
    case Combine::maximum:
      return row<Combine::maximum>();
    case Combine::softmax:
      return row<Combine::softmax>();
    case Combine::softmax_sink:
      return row<Combine::softmax_sink>();
    case Combine::sparsemax:
      return row<Combine::sparsemax>();
    case Combine::entmax15:
      return row<Combine::entmax15>();
    case Combine::rms_norm:
      return row<Combine::rms_norm>();
    case Combine::unit_length:
      return row<Combine::unit_length>();
    case Combine::layer_norm:
      return row<Combine::layer_norm>();
    case Combine::quotient:
      return row<Combine::quotient>();
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
