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
double gelu_by_sigmoid(double x) {
  return x * sigmoid(1.702 * x);
}

double exponential(double x) {
  return std::exp(x);
}
double logarithm(double x) {
  return std::log(x);
}
double slope_of_logarithm(double x) {
  return 1 / x;
}
// Clevert et al. 2016, ELU, section 3, plus 1: above 0 everywhere.
double elu_plus_one(double x) {
  return x > 0 ? x + 1 : std::exp(x);
}

double slope_of_positive_part(double x) {
  return x > 0 ? 1 : 0;
}
double slope_of_tangent(double x) {
  return 1 - std::tanh(x) * std::tanh(x);
}
double slope_of_sigmoid(double x) {
  return sigmoid(x) * sigmoid(-x);
}
// Φ(x) + x φ(x).
double slope_of_gelu(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}
double slope_of_gelu_by_tanh(double x) {
  const double root = std::sqrt(2 / std::numbers::pi), tangent = std::tanh(root * (x + 0.044715 * x * x * x));
  return (1 + tangent) / 2 + x / 2 * (1 - tangent * tangent) * root * (1 + 3 * 0.044715 * x * x);
}
// Of x σ(by · x).
double slope_of_gated(double x, double by) {
  return sigmoid(by * x) * (1 + by * x * sigmoid(-by * x));
}
double slope_of_silu(double x) {
  return slope_of_gated(x, 1);
}
double slope_of_gelu_by_sigmoid(double x) {
  return slope_of_gated(x, 1.702);
}
double slope_of_elu(double x) {
  return x > 0 ? 1 : std::exp(x);
}

double root_of_mean(double squares, double count, double epsilon) {
  return std::sqrt(squares / count + epsilon);
}
double slope_of_root_of_mean(double squares, double count, double epsilon) {
  return 1 / (2 * count * root_of_mean(squares, count, epsilon));
}
double root_of_sum(double squares, double, double epsilon) {
  return std::max(std::sqrt(squares), epsilon);
}
double slope_of_root_of_sum(double squares, double, double epsilon) {
  return std::sqrt(squares) > epsilon ? 1 / (2 * std::sqrt(squares)) : 0;
}

// A rule whose number is a function of a sum: "tanh(" … ")".
constexpr Rule of_sum(Combine combine, const char* name, const char* opening, double (*function)(double),
                      double (*slope)(double)) {
  return {.combine = combine,
          .form = Form::of_sum,
          .name = name,
          .opening = opening,
          .closing = ")",
          .function = function,
          .slope = slope};
}
// A rule that reads the whole row, with what it costs a cell.
constexpr Rule of_row(Combine combine, Form form, const char* name, double operations) {
  return {.combine = combine,
          .form = form,
          .name = name,
          .zero_counts = true,
          .operations = operations,
          .number_each = false};
}
constexpr Rule with_words(Rule rule, const char* opening, const char* closing = ")") {
  rule.opening = opening;
  rule.closing = closing;
  return rule;
}
constexpr Rule share(Combine combine, const char* name, bool has_sink) {
  Rule rule = with_words(of_row(combine, Form::share, name, 5), "exp(");  // maximum, subtract, exp, add, divide
  rule.has_sink = has_sink;
  return rule;
}
constexpr Rule by_length(Combine combine, const char* name, double operations,
                         double (*length)(double squares, double count, double epsilon),
                         double (*slope)(double squares, double count, double epsilon)) {
  Rule rule = of_row(combine, Form::by_length, name, operations);
  rule.length = length;
  rule.length_slope = slope;
  return rule;
}
constexpr Rule above(Combine combine, const char* name, double operations, bool halved_and_squared,
                     double (*threshold)(std::span<const double>)) {
  Rule rule = of_row(combine, Form::above, name, operations);
  rule.halved_and_squared = halved_and_squared;
  rule.threshold = threshold;
  return rule;
}
constexpr Rule relu() {
  Rule rule = of_sum(Combine::relu, "ReLU", "max(0, ", positive_part, slope_of_positive_part);
  rule.is_unchanged = [](double result) { return result > 0; };
  return rule;
}

constexpr std::array table{
    Rule{.combine = Combine::sum, .form = Form::of_sum, .name = "sum", .is_unchanged = [](double) { return true; }},
    relu(), of_sum(Combine::tanh, "tanh", "tanh(", hyperbolic_tangent, slope_of_tangent),
    of_sum(Combine::sigmoid, "sigmoid", "sigmoid(", sigmoid, slope_of_sigmoid),
    of_sum(Combine::gelu, "GELU", "gelu(", gelu, slope_of_gelu),
    of_sum(Combine::gelu_tanh, "GELU by tanh", "gelu_tanh(", gelu_by_tanh, slope_of_gelu_by_tanh),
    of_sum(Combine::silu, "SiLU", "silu(", silu, slope_of_silu),
    of_sum(Combine::quick_gelu, "quick GELU", "quick_gelu(", gelu_by_sigmoid, slope_of_gelu_by_sigmoid),
    of_sum(Combine::exponential, "exp", "exp(", exponential, exponential),
    of_sum(Combine::elu_plus_one, "ELU + 1", "elu_plus_one(", elu_plus_one, slope_of_elu),
    Rule{.combine = Combine::maximum,
         .form = Form::largest,
         .name = "largest",
         .opening = "largest of ",
         .zero_counts = true},
    share(Combine::softmax, "softmax", false), share(Combine::softmax_sink, "softmax, sink", true),
    // As the paper finds it: compare in sorting, add, find the threshold, subtract, maximum.
    above(Combine::sparsemax, "sparsemax", 5, false, sparsemax_threshold),
    // Also halve, the mean and the spread of those above, square.
    above(Combine::entmax15, "entmax 1.5", 10, true, entmax15_threshold),
    // Square and add, divide, stretch.
    with_words(by_length(Combine::rms_norm, "root mean square", 4, root_of_mean, slope_of_root_of_mean),
               "√(mean of squares + "),
    with_words(by_length(Combine::unit_length, "length", 3, root_of_sum, slope_of_root_of_sum),
               "max(√(sum of squares), "),
    // Two for the mean, three for the variance, three to stretch and shift.
    of_row(Combine::layer_norm, Form::normalised, "normalised", 8),
    Rule{.combine = Combine::quotient, .form = Form::quotient, .name = "share", .operations = 1},
    of_sum(Combine::logarithm, "ln", "ln(", logarithm, slope_of_logarithm),
    Rule{.combine = Combine::batch_norm,
         .form = Form::normalised_by,
         .name = "normalised",
         .operations = 4},  // subtract, divide, stretch, shift
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].combine != static_cast<Combine>(i)) return false;
  return table.back().combine == last_combine;
}
static_assert(is_in_order(), "a rule needs its row, in the order of Combine");

}  // namespace

const Rule& rule_of(Combine combine) {
  return table[static_cast<std::size_t>(combine)];
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
