// The rules by which a number follows from its terms, one row each: a new value of Combine does not compile
// until it has its row. How it is carried out, what it costs, what it is called and which of its terms is the cell's
// own are said here and nowhere else: the window, worksheets, scripts and tests ask the table.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/explanation.h"

namespace headlight {

struct Rule {
  // What is made of the terms, in words: what is told of a cell goes by it.
  enum class Form {
    of_sum,         // times · function(scale · Σ terms)
    largest,        // scale · the largest term
    share,          // exp(own term) / Σ exp(terms), perhaps beside the exp of a parameter
    above,          // what of the own term is above the row's threshold
    by_length,      // own term / length(Σ terms²) · γ, where there is a γ among its parameters
    quotient,       // scale · Σ terms / a parameter, 0 where that is 0
    normalised,     // (own term − mean) / √(variance + ε) · γ + β, mean and variance being those of the terms
    normalised_by,  // (scale · Σ terms − mean) / √(variance + ε) · γ + β, mean and variance being parameters
  };

  Combine combine;
  Form form;
  const char* name;                      // of the line that carries it out: "tanh"
  const char* opening = "";              // what stands before what it is of: "tanh("
  const char* closing = "";              // and after it: ")"
  double (*function)(double) = nullptr;  // Form::of_sum: null where the sum is left as it is
  double (*slope)(double) = nullptr;     // and its derivative
  // Form::by_length: of the sum of so many squares.
  double (*length)(double squares, double count, double epsilon) = nullptr;
  double (*length_slope)(double squares, double count, double epsilon) = nullptr;  // its derivative by that sum
  // Form::above: what has to be taken off each term, or half of it, so that the row adds up to 1.
  double (*threshold)(std::span<const double> values) = nullptr;
  bool halved_and_squared = false;  // Form::above: what is left of half the term, squared
  bool has_sink = false;            // Form::share: parameters[0] is the logit of what takes a share and gives nothing
  // Form::of_sum: whether the function returned its argument unchanged.
  bool (*is_unchanged)(double result) = [](double) { return false; };
  bool zero_counts = false;  // terms of 0 affect the result (largest, softmax, norms)
  double operations = 0;     // a cell, on top of
  bool number_each = true;   // one for each recorded number among its terms

  bool of_sum() const { return form == Form::of_sum || form == Form::normalised_by; }
  // Form::above: max(0, term − tau), or max(0, term / 2 − tau)²; NaN where tau is.
  double above(double term, double tau) const {
    const double by = halved_and_squared ? term / 2 - tau : term - tau;
    if (by <= 0) return 0;
    return halved_and_squared ? by * by : by;
  }
  // The sum as it is.
  bool is_plain_sum() const { return form == Form::of_sum && !function; }
  // One of its terms, Explanation::self, is the cell's own.
  bool has_own_term() const { return is_weight() || form == Form::by_length || form == Form::normalised; }
  // Of its own term beside the others of the row, of which −∞ have none.
  bool is_weight() const { return form == Form::share || form == Form::above; }
  // A row of such cells adds up to 1, or to 0 where every term is −∞.
  bool sums_to_one() const { return is_weight() && !has_sink; }
  // Numbers are of size 1, which comparisons take for their scale; those of normalised_by by its statistics.
  bool is_normalised() const {
    return form == Form::by_length || form == Form::normalised || form == Form::normalised_by;
  }
};

const Rule& rule_of(Combine combine);

// All of them, in the order of Combine.
std::span<const Rule> rules();

// What a cell takes, as Cost counts it: the rule's own operations and the recorded numbers it reads; at least one.
double operations_of(const Explanation& explanation);

}  // namespace headlight
