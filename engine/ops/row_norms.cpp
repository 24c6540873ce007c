// Rows brought to one size: what is recorded of each is the same but for the rule.

#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

constexpr double shortest = 1e-12;  // PyTorch's F.normalize divides by no less

LatexFormula norm_formula(const Array& x, const Array& gamma, const Array& beta) {
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

// Where a parameter (d), or (M, d) of x (B, M, n, d), stands that a cell is stretched or shifted by.
struct Stretch {
  explicit Stretch(const Array& x, const Array& parameter)
      : d(x.dim(-1)),
        rows(x.axes.size() > 2 ? x.dim(-2) : 1),
        heads(parameter.axes.size() > 1 ? parameter.dim(0) : 1) {}
  Index of(Index cell) const { return cell / (d * rows) % heads * d + cell % d; }
  Index d, rows, heads;
};

// In a line of Python: a parameter of each head meets the rows of that head.
std::string in_code(const Array& parameter) {
  return parameter.id + (parameter.axes.size() > 1 ? "[:, None]" : "");
}

Explanation row_of(const std::string& x, Index d, Index cell, Combine combine, double epsilon) {
  return Explanation{.combine = combine,
                     .terms = terms_of(d, [&](Index t) { return Term{{Operand::of(x, cell / d * d + t)}}; }),
                     .self = cell % d,
                     .epsilon = epsilon};
}

// x / length of its row, times gamma where there is one. `length` is of the row's sum of squares.
Operation by_length(const Array& x, const Array& gamma, Combine combine, double epsilon) {
  const Index d = x.dim(-1);
  const Stretch stretch(x, gamma);
  return {.axes = x.axes,
          .run =
              [x = x.values, gamma = gamma.values, stretch, d, epsilon, length = rule_of(combine).length](
                  Compute& compute, float* to) {
                compute.parallel(x->size() / d, 64, [&](Index begin, Index end) {
                  for (Index row = begin; row < end; ++row) {
                    const float* from = x->data() + row * d;
                    double squares = 0;
                    for (Index c = 0; c < d; ++c) squares += static_cast<double>(from[c]) * from[c];
                    const double by = 1 / length(squares, static_cast<double>(d), epsilon);
                    const float* scale = gamma ? gamma->data() + stretch.of(row * d) : nullptr;
                    for (Index c = 0; c < d; ++c)
                      to[row * d + c] = static_cast<float>(from[c] * by * (scale ? scale[c] : 1.0F));
                  }
                });
              },
          .explain =
              [x = x.id, gamma = gamma.id, stretch, d, combine, epsilon](Index cell) {
                Explanation e = row_of(x, d, cell, combine, epsilon);
                if (!gamma.empty()) e.parameters = {Operand::of(gamma, stretch.of(cell))};
                return e;
              },
          .formula = {},
          .operations = rule_of(combine).operations,
          .role = x.role};
}

}  // namespace

Operation layer_norm(const Array& x, const Array& gamma, const Array& beta, double epsilon) {
  const Index d = x.dim(-1);
  const Stretch stretch(x, gamma);
  const bool usual = epsilon == norm_epsilon, by_head = gamma.axes.size() > 1;
  const std::string numpy_epsilon = usual ? "" : fmt::format(", {}", epsilon),
                    torch_epsilon = usual ? "" : fmt::format(", eps={}", epsilon);
  return {
      .axes = x.axes,
      .run =
          [x = x.values, gamma = gamma.values, beta = beta.values, stretch, d, epsilon](Compute& compute, float* to) {
            const Index block = stretch.heads == 1 ? x->size() : stretch.rows * d;
            for (Index at = 0; at < x->size(); at += block)
              math::layer_norm(compute, x->data() + at, gamma->data() + stretch.of(at), beta->data() + stretch.of(at),
                               block / d, d, static_cast<float>(epsilon), to + at);
          },
      .explain =
          [x = x.id, gamma = gamma.id, beta = beta.id, stretch, d, epsilon](Index cell) {
            Explanation e = row_of(x, d, cell, Combine::layer_norm, epsilon);
            e.parameters = {Operand::of(gamma, stretch.of(cell)), Operand::of(beta, stretch.of(cell))};
            return e;
          },
      .code = {fmt::format("layer_norm({}, {}, {}{})", x.id, in_code(gamma), in_code(beta), numpy_epsilon),
               by_head ? fmt::format("F.layer_norm({0}, {0}.shape[-1:]{3}) * {1} + {2}", x.id, in_code(gamma),
                                     in_code(beta), torch_epsilon)
                       : fmt::format("F.layer_norm({0}, {0}.shape[-1:], {1}, {2}{3})", x.id, gamma.id, beta.id,
                                     torch_epsilon)},
      .formula = norm_formula(x, gamma, beta),
      .operations = rule_of(Combine::layer_norm).operations,
      .role = x.role};
}

Operation rms_norm(const Array& x, const Array& gamma, double epsilon) {
  using notation::channel;
  Operation op = by_length(x, gamma, Combine::rms_norm, epsilon);
  const auto in = [&](const char* axis) {
    return fmt::format("{0} / (({0} ** 2).mean({1}) + {2}) ** 0.5 * {3}", x.id, axis, epsilon, in_code(gamma));
  };
  op.code = {in("axis=-1, keepdims=True"), in("dim=-1, keepdim=True")};
  op.formula = {.right = fmt::format("{}\\,\\frac{{{}}}{{\\sqrt{{\\tfrac{{1}}{{d}} \\sum_c {}^2 + \\varepsilon}}}}",
                                     channel(gamma), channel(x), channel(x)),
                .by_channel = true};
  return op;
}

Operation unit_length(const Array& x) {
  Operation op = by_length(x, {}, Combine::unit_length, shortest);
  op.code = {fmt::format("{0} / np.maximum(({0} ** 2).sum(axis=-1, keepdims=True) ** 0.5, {1})", x.id, shortest),
             fmt::format("F.normalize({}, dim=-1, eps={})", x.id, shortest)};
  op.formula = {fmt::format("\\frac{{{0}}}{{\\lVert {0} \\rVert}}", notation::written(x))};
  return op;
}

}  // namespace headlight::ops
