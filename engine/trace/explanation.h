// Where one number came from, in a form that can be executed: the same value is what the inspector prints as a table
// of operands and what a test evaluates in double precision against the kernel that made the number.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

class Trace;

// One number that took part: a cell of a recorded array, or a constant of the rule itself.
struct Operand {
  std::string array;  // step or source id; empty for a constant
  Index cell = -1;    // flat position in that array
  double value = 0;   // the constant (−∞ for a mask)
  std::string label;  // for a constant: what it is, "causal: key 5 comes after query 3"

  static Operand of(std::string array, Index cell) { return {std::move(array), cell, 0, {}}; }
  static Operand constant(double value, std::string label) { return {{}, -1, value, std::move(label)}; }
};

// A product of one to three operands.
struct Term {
  std::vector<Operand> factors;
};

enum class Combine {
  sum,           // scale · Σ terms
  relu,          // max(0, scale · Σ terms)
  tanh,          // tanh(scale · Σ terms)
  sigmoid,       // 1 / (1 + exp(−scale · Σ terms))
  gelu,          // x · Φ(x) of x = scale · Σ terms
  gelu_tanh,     // x/2 · (1 + tanh(√(2/π)(x + 0.044715 x³))), likewise
  silu,          // x / (1 + exp(−x)), likewise
  quick_gelu,    // x / (1 + exp(−1.702 x)), likewise
  exponential,   // exp(scale · Σ terms)
  elu_plus_one,  // x + 1 of x = scale · Σ terms above 0, else exp(x)
  maximum,       // scale · max of terms
  softmax,       // exp(t_self) / Σ exp(t); 0 when every term is −∞
  softmax_sink,  // exp(t_self) / (exp(parameters[0]) + Σ exp(t))
  sparsemax,     // max(0, t_self − τ), τ so that the row adds up to 1; 0 when every term is −∞
  entmax15,      // max(0, t_self/2 − τ)², likewise
  rms_norm,      // t_self / √(mean(t²) + ε) · parameters[0]
  unit_length,   // t_self / max(√Σ t², ε)
  layer_norm,    // (t_self − mean(t)) / √(var(t) + ε) · parameters[0] + parameters[1]
  quotient,      // scale · Σ terms / parameters[0]; 0 where that is 0
  logarithm,     // ln(scale · Σ terms)
  batch_norm,    // (scale · Σ terms − parameters[2]) / √(parameters[3] + ε) · parameters[0] + parameters[1]
};
inline constexpr Combine last_combine = Combine::batch_norm;

struct Explanation {
  Combine combine = Combine::sum;
  double scale = 1;
  std::vector<Term> terms = {};
  Index self = -1;                       // of shares and norms: which term is this cell's own
  std::vector<Operand> parameters = {};  // softmax_sink: the sink's logit; quotient: the divisor; rms_norm: γ;
                                         // layer_norm: γ, β; batch_norm: γ, β, mean, var
  double epsilon = 0;                    // of norms
  std::string scale_label = {};          // "1/√8", where the scale is not 1
  Index root_of = 0;                     // 8, where the scale is one over that root, or that over a temperature; else 0
  double times = 1;                      // of a function of a sum, and of rms_norm: what its result is multiplied by
  std::string reason = {};               // one line where a rule decided: "masked: key 5 comes after query 3 (causal)"
};

// So many terms, each made from its number.
template <class Make>
std::vector<Term> terms_of(Index count, const Make& make) {
  std::vector<Term> terms;
  terms.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) terms.push_back(make(i));
  return terms;
}

// Cells of an array: from one on, and so far apart.
struct SpacedCells {
  std::string array;
  Index first = 0, step = 1;
};

// The products of so many cells of one array with those of another.
inline std::vector<Term> product_terms(Index count, const SpacedCells& a, const SpacedCells& b) {
  return terms_of(count, [&](Index i) {
    return Term{{Operand::of(a.array, a.first + i * a.step), Operand::of(b.array, b.first + i * b.step)}};
  });
}

// The operand's number, read from the trace. The operand must name an array of the trace.
double value_of(const Operand& operand, const Trace& trace);
double value_of(const Term& term, const Trace& trace);

// The number of an operand.
using ValueOf = std::function<double(const Operand&)>;

// The product of each term's factors.
std::vector<double> term_values(const std::vector<Term>& terms, const ValueOf& value_of);

// Carries the explanation out in double precision.
double evaluate(const Explanation& explanation, const ValueOf& value_of);
double evaluate(const Explanation& explanation, const Trace& trace);

}  // namespace headlight
