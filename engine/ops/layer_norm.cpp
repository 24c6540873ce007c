#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

LatexFormula formula_of(const Array& x, const Array& gamma, const Array& beta) {
  using notation::channel;
  const std::string row = x.axis_at(-2).index, number = channel(x);
  const std::string mean = fmt::format("\\mu_{{{}}}", row), variance = fmt::format("\\sigma_{{{}}}^2", row);
  return {.right = fmt::format("{}\\,\\frac{{{} - {}}}{{\\sqrt{{{} + \\varepsilon}}}} + {}", channel(gamma), number,
                               mean, variance, channel(beta)),
          .below = fmt::format("{} = \\tfrac{{1}}{{d}} \\sum_c {} \\quad {} = \\tfrac{{1}}{{d}} \\sum_c ({} - {})^2",
                               mean, number, variance, number, mean),
          .gap = "0.3em",
          .by_channel = true};
}

}  // namespace

Operation layer_norm(const Array& x, const Array& gamma, const Array& beta) {
  const Index d = x.dim(-1);
  return {.axes = x.axes,
          .run =
              [x = x.values, gamma = gamma.values, beta = beta.values, d](Compute& compute, float* to) {
                math::layer_norm(compute, x->data(), gamma->data(), beta->data(), x->size() / d, d,
                                 static_cast<float>(layer_norm_epsilon), to);
              },
          .explain =
              [x = x.id, gamma = gamma.id, beta = beta.id, d](Index cell) {
                Explanation e;
                e.combine = Combine::layer_norm;
                e.self = cell % d;
                e.epsilon = layer_norm_epsilon;
                for (Index t = 0; t < d; ++t) e.terms.push_back({{Operand::of(x, cell / d * d + t)}});
                e.parameters = {Operand::of(gamma, cell % d), Operand::of(beta, cell % d)};
                return e;
              },
          .code = {fmt::format("layer_norm({}, {}, {})", x.id, gamma.id, beta.id),
                   fmt::format("F.layer_norm({0}, {0}.shape[-1:], {1}, {2})", x.id, gamma.id, beta.id)},
          .formula = formula_of(x, gamma, beta),
          .operations = rule_of(Combine::layer_norm).operations,
          .role = x.role};
}

}  // namespace headlight::ops
