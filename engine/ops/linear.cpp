#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

Explain explained(const Array& x, const Array& w, const Array& b, Combine combine) {
  const Index d_in = w.dim(0), d_out = w.axes.size() == 1 ? 1 : w.dim(1);
  return [=, x = x.id, w = w.id, b = b.id](Index cell) {
    const Index row = cell / d_out, column = cell % d_out;
    Explanation e{.combine = combine, .terms = product_terms(d_in, {x, row * d_in}, {w, column, d_out})};
    if (!b.empty()) e.terms.push_back({{Operand::of(b, column)}});
    return e;
  };
}

Code activation_code(Combine combine, const std::string& sum) {
  switch (combine) {
    case Combine::relu:
      return {fmt::format("np.maximum({}, 0)", sum), fmt::format("torch.relu({})", sum)};
    case Combine::gelu:
      return {fmt::format("gelu({})", sum), fmt::format("F.gelu({})", sum)};
    case Combine::gelu_tanh:
      return {fmt::format("gelu_tanh({})", sum), fmt::format("F.gelu({}, approximate=\"tanh\")", sum)};
    case Combine::silu:
      return {fmt::format("silu({})", sum), fmt::format("F.silu({})", sum)};
    case Combine::quick_gelu:
      return both(fmt::format("quick_gelu({})", sum));
    default:
      return both(sum);
  }
}

// What a rule makes of each sum, in its place.
void activate(Compute& compute, Combine rule, float* sums, Index size) {
  if (rule == Combine::silu) return math::silu(compute, sums, size);
  if (rule == Combine::gelu) return math::gelu(compute, sums, size);
  if (rule == Combine::gelu_tanh) return math::gelu_tanh(compute, sums, size);
  const auto function = rule_of(rule).function;
  if (!function) return;
  compute.parallel_each(size, 1024, [&](Index i) { sums[i] = static_cast<float>(function(sums[i])); });
}

// Of rule(x w + b): what reaches the sums, and what these hand on.
Backward backward_of(const Array& x, const Array& w, const Array& b, Combine rule) {
  return [x = x.id, w = w.id, b = b.id, rule](BackwardPass& pass) {
    Array g = pass.gradient();
    if (rule_of(rule).function) {
      const Array before = pass.helper("sums", "Before the bend", "z", "The sums that the activation was made of.",
                                       linear(pass.array(x), pass.array(w), b.empty() ? Array{} : pass.array(b)));
      g = pass.helper("bent", "∂ sums", "\\partial L/\\partial z",
                      "What reaches the sums: the slope of the activation there says how much of it.",
                      times_slope(pass.gradient(), before, rule, activation_code(rule, "z").torch));
    }
    pass.add(x, linear_back(g, pass.array(w), pass.array(x)));
    pass.add(w, products_of_rows(pass.array(x), g, pass.array(w)));
    if (!b.empty()) pass.add(b, sum_to_size(g, pass.array(b)));
  };
}

Backward backward_of_vector(const Array& x, const Array& w) {
  return [x = x.id, w = w.id](BackwardPass& pass) {
    pass.add(x, products_with_vector(pass.gradient(), pass.array(w), pass.array(x)));
    pass.add(w, sum_of_weighted_rows(pass.gradient(), pass.array(x), pass.array(w)));
  };
}

Operation product(const Array& x, const Array& w, const Array& b, Combine combine) {
  std::vector<Axis> axes(x.axes.begin(), x.axes.end() - 1);
  const bool one = w.axes.size() == 1;
  if (!one) axes.push_back(w.axis_at(1));
  const Index d_in = w.dim(0), d_out = one ? 1 : w.dim(1);
  const bool relu = combine == Combine::relu;
  const std::string bias = b ? " + " + b.id : std::string(), sum = fmt::format("{} @ {}{}", x.id, w.id, bias);
  return {.axes = std::move(axes),
          .run =
              [x = x.values, w = w.values, b = b.values, rows = x.size() / d_in, d_in, d_out, relu, combine](
                  Compute& compute, float* to) {
                math::linear(compute, x->data(), w->data(), b ? b->data() : nullptr, rows, d_in, d_out, relu, to);
                if (!relu) activate(compute, combine, to, rows * d_out);
              },
          .explain = explained(x, w, b, combine),
          .code = activation_code(combine, sum),
          .formula = {},
          .operations = linear_operations(d_in, static_cast<bool>(b)),
          .role = w.role,
          .backward = one ? backward_of_vector(x, w) : backward_of(x, w, b, combine)};
}

std::string formula_of(const Array& x, const Array& w, const Array& b) {
  return fmt::format("{}\\,{}{}", notation::written(x), notation::written(w), notation::plus(b));
}

}  // namespace

Operation linear(const Array& x, const Array& w, const Array& b) {
  Operation op = product(x, w, b, Combine::sum);
  op.formula.right = formula_of(x, w, b);
  return op;
}

Operation linear_with_activation(const Array& x, const Array& w, const Array& b, Combine rule) {
  Operation op = product(x, w, b, rule);
  op.formula.right = fmt::format(
      "\\operatorname{{{}}}\\bigl({}\\bigr)",
      rule == Combine::gelu_tanh || rule == Combine::quick_gelu ? "GELU" : rule_of(rule).name, formula_of(x, w, b));
  return op;
}

Operation dot_with_vector(const Array& x, const Array& w) {
  Operation op = product(x, w, {}, Combine::sum);
  op.kind = Kind::score;
  op.formula.right = fmt::format("{} \\cdot {} = \\sum_c {}\\,{}", notation::written(w), notation::written(x),
                                 notation::channel(w), notation::channel(x));
  return op;
}

}  // namespace headlight::ops
