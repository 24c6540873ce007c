// Rows brought to one size: what is recorded of each is the same but for the rule.

#include <algorithm>
#include <cmath>

#include "engine/math/kernels.h"
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

math::Norm norm_of(Combine combine, double epsilon) {
  const Rule& rule = rule_of(combine);
  if (rule.form == Rule::Form::normalised) return {epsilon};
  return {epsilon, rule.length, rule.length_slope};
}

// ∂L/∂x of a norm with that rule. Gamma may take no part.
Operation norm_gradient(const Array& x, const Array& gamma, const Array& g, Combine combine, double epsilon) {
  const Index d = x.dim(-1);
  const Stretch stretch(x, gamma);
  const math::Norm norm = norm_of(combine, epsilon);
  return {.axes = x.axes,
          .run =
              [=, x = x.values, gamma = gamma.values, g = g.values](Compute& compute, float* to) {
                compute.parallel(x->size() / d, 64, [&](Index begin, Index end) {
                  std::vector<double> scratch(static_cast<std::size_t>(2 * d));
                  for (Index at = begin * d; at < end * d; at += d)
                    math::kernels().norm_gradient({.x = x->data() + at,
                                                   .gamma = gamma ? gamma->data() + stretch.of(at) : nullptr,
                                                   .gradient = g->data() + at,
                                                   .d = d,
                                                   .scratch = scratch.data()},
                                                  norm, to + at);
                });
              },
          .explain =
              [=, x = x.values, gamma = gamma.values, g = g.id](Index cell) {
                const Index begin = cell / d * d, t = cell % d;
                std::vector<double> z(static_cast<std::size_t>(d));
                const math::NormSlopes slopes = math::kernels().normed(x->data() + begin, d, norm, z.data());
                return Explanation{
                    .terms = terms_of(d, [&](Index j) {
                      const double stretched = gamma ? static_cast<double>((*gamma)[stretch.of(begin + j)]) : 1.0;
                      const double bent = slopes.bend * z[static_cast<std::size_t>(j)] * z[static_cast<std::size_t>(t)];
                      const double partial = stretched * slopes.by * ((j == t ? 1 : 0) - slopes.shift - bent);
                      return Term{{Operand::of(g, begin + j), Operand::constant(partial, "slope of the norm")}};
                    })};
              },
          .code = {},
          .formula = {.right = fmt::format("\\sum_{{c'}} {}\\,\\frac{{\\partial y_{{c'}}}}{{\\partial {}}}",
                                           notation::channel(g, "c'"), notation::channel(x)),
                      .by_channel = true},
          .operations = 8};
}

// g ⊙ z, or g where `of_shift`, summed over all rows that each number of a parameter stretches or shifts.
void sum_rows(Compute& compute, const Tensor& x, const Tensor& g, const Stretch& stretch, Index size,
              const math::Norm& norm, bool of_shift, float* to) {
  constexpr Index pieces = 32;  // whose sums are added up in their order, whatever the threads
  const Index d = stretch.d, rows = x.size() / d;
  std::vector<double> sums(static_cast<std::size_t>(pieces * size));
  compute.parallel(pieces, 1, [&](Index begin, Index end) {
    std::vector<double> scratch(static_cast<std::size_t>(2 * d));
    for (Index row = rows * begin / pieces, last = rows * end / pieces, piece = begin; row < last; ++row) {
      while (row >= rows * (piece + 1) / pieces) ++piece;
      double* to_sums = sums.data() + piece * size + stretch.of(row * d);
      const float* gradient = g.data() + row * d;
      if (of_shift)
        for (Index c = 0; c < d; ++c) to_sums[c] += static_cast<double>(gradient[c]);
      else
        math::kernels().add_normed({.x = x.data() + row * d, .gradient = gradient, .d = d, .scratch = scratch.data()},
                                   norm, to_sums);
    }
  });
  for (Index c = 0; c < size; ++c) {
    double sum = 0;
    for (Index piece = 0; piece < pieces; ++piece) sum += sums[static_cast<std::size_t>(piece * size + c)];
    to[c] = static_cast<float>(sum);
  }
}

// ∂L/∂γ, or ∂L/∂β where `of_shift`.
Operation norm_parameter_gradient(const Array& parameter, const Array& x, const Array& g, Combine combine,
                                  double epsilon, bool of_shift) {
  const Index d = x.dim(-1), cells = x.size();
  const Stretch stretch(x, parameter);
  const math::Norm norm = norm_of(combine, epsilon);
  const auto factor = [=, x = x.values](Index cell) {
    if (of_shift) return 1.0;
    std::vector<double> z(static_cast<std::size_t>(d));
    math::kernels().normed(x->data() + cell / d * d, d, norm, z.data());
    return z[static_cast<std::size_t>(cell % d)];
  };
  return {.axes = parameter.axes,
          .run = [=, x = x.values, g = g.values, size = parameter.size()](
                     Compute& compute, float* to) { sum_rows(compute, *x, *g, stretch, size, norm, of_shift, to); },
          .explain =
              [=, g = g.id](Index at) {
                Explanation e;
                for (Index cell = at % d; cell < cells; cell += d)
                  if (stretch.of(cell) == at)
                    e.terms.push_back({{Operand::of(g, cell), Operand::constant(factor(cell), "normalised")}});
                return e;
              },
          .code = {},
          .formula = {.right = fmt::format("\\sum {}{}", notation::channel(g), of_shift ? "" : "\\,z_c"),
                      .by_channel = true},
          .operations = 2 * static_cast<double>(cells / parameter.size())};
}

// The way back of a norm. Lines of PyTorch ask autograd: `in_torch` is the norm of x, and of its parameters by their
// ids.
Backward backward_of_norm(const Array& x, const Array& gamma, const Array& beta, Combine combine, double epsilon,
                          const std::string& in_torch) {
  return [x = x.id, gamma = gamma.id, beta = beta.id, combine, epsilon, in_torch](BackwardPass& pass) {
    const Array& g = pass.gradient();
    const auto add = [&](const std::string& id, Operation part) {
      part.code.torch = fmt::format("torch.autograd.functional.vjp(lambda {0}: {1}, {0}, {2})[1]", id, in_torch, g.id);
      pass.add(id, std::move(part));
    };
    const Array& rows = pass.array(x);
    add(x, norm_gradient(rows, gamma.empty() ? Array{} : pass.array(gamma), g, combine, epsilon));
    if (!gamma.empty()) add(gamma, norm_parameter_gradient(pass.array(gamma), rows, g, combine, epsilon, false));
    if (!beta.empty()) add(beta, norm_parameter_gradient(pass.array(beta), rows, g, combine, epsilon, true));
  };
}

// x / length of its row, times gamma where there is one. `length` is of the row's sum of squares.
Operation by_length(const Array& x, const Array& gamma, Combine combine, double epsilon) {
  const Index d = x.dim(-1);
  const Stretch stretch(x, gamma);
  return {.axes = x.axes,
          .run =
              [x = x.values, gamma = gamma.values, stretch, d, epsilon, length = rule_of(combine).length](
                  Compute& compute, float* to) {
                compute.parallel_each(x->size() / d, 64, [&](Index row) {
                  const float* from = x->data() + row * d;
                  double squares = 0;
                  for (Index c = 0; c < d; ++c) squares += static_cast<double>(from[c]) * from[c];
                  const double by = 1 / length(squares, static_cast<double>(d), epsilon);
                  const float* scale = gamma ? gamma->data() + stretch.of(row * d) : nullptr;
                  for (Index c = 0; c < d; ++c)
                    to[row * d + c] = static_cast<float>(from[c] * by * (scale ? scale[c] : 1.0F));
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
  Operation op = {
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
  op.backward = backward_of_norm(x, gamma, beta, Combine::layer_norm, epsilon, op.code.torch);
  return op;
}

Operation rms_norm(const Array& x, const Array& gamma, double epsilon) {
  using notation::channel;
  Operation op = by_length(x, gamma, Combine::rms_norm, epsilon);
  const auto code_in = [&](const char* axis) {
    return fmt::format("{0} / (({0} ** 2).mean({1}) + {2}) ** 0.5 * {3}", x.id, axis, epsilon, in_code(gamma));
  };
  op.code = {code_in("axis=-1, keepdims=True"), code_in("dim=-1, keepdim=True")};
  op.backward = backward_of_norm(x, gamma, {}, Combine::rms_norm, epsilon, op.code.torch);
  op.formula = {.right = fmt::format("{}\\,\\frac{{{}}}{{\\sqrt{{\\tfrac{{1}}{{d}} \\sum_c {}^2 + \\varepsilon}}}}",
                                     channel(gamma), channel(x), channel(x)),
                .by_channel = true};
  return op;
}

Operation unit_length(const Array& x) {
  Operation op = by_length(x, {}, Combine::unit_length, shortest);
  op.code = {fmt::format("{0} / np.maximum(({0} ** 2).sum(axis=-1, keepdims=True) ** 0.5, {1})", x.id, shortest),
             fmt::format("F.normalize({}, dim=-1, eps={})", x.id, shortest)};
  op.backward = backward_of_norm(x, {}, {}, Combine::unit_length, shortest, op.code.torch);
  op.formula = {fmt::format("\\frac{{{0}}}{{\\lVert {0} \\rVert}}", notation::written(x))};
  return op;
}

}  // namespace headlight::ops
