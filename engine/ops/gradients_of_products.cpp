// Gradients of projections, linear layers and weighted sums: products of matrices again, one of them transposed.
#include <algorithm>
#include <memory>

#include "engine/math/math.h"
#include "engine/ops/backward.h"
#include "engine/ops/ops.h"
#include "engine/ops/summed_axes.h"
#include "engine/trace/rule.h"

namespace headlight::ops {

namespace {

using notation::written;

// Scratch buffers for what an operation lays out before it multiplies: kept as long as the operation is, which may be
// carried out again and again.
struct Scratch {
  Tensor rows, made;
};

float* sized(Tensor& scratch, Index size) {
  if (scratch.size() != size) scratch = Tensor::uninitialized({size});
  return scratch.data();
}

// (B, M, n, d') as rows (B·n, M·d').
const float* joined(Compute& compute, const Tensor& heads, Tensor& rows) {
  math::concat_heads(compute, heads.data(), heads.dim(0), heads.dim(1), heads.dim(2), heads.dim(3),
                     sized(rows, heads.size()));
  return rows.data();
}

}  // namespace

Operation sum_over_queries(const Array& a, const Array& x, const Array& like) {
  const Index n_q = a.dim(2), n_k = a.dim(3), d = x.dim(3), group = a.dim(1) / like.dim(1), rows = group * n_q;
  const auto code_in = [&](const char* axis) {
    const std::string each = fmt::format("{}.swapaxes(-2, -1) @ {}", a.id, x.id);
    if (group == 1) return each;
    return fmt::format("({}).reshape{}.sum({}=2)", each, to_string(Shape{a.dim(0), like.dim(1), group, n_k, d}), axis);
  };
  return {
      .axes = like.axes,
      // The rows of heads that share one stand one after the other.
      .run =
          [a = a.values, x = x.values, rows, n_k, d, planes = like.dim(0) * like.dim(1)](Compute& compute, float* to) {
            constexpr Index together = 128;  // keys
            const Index parts = (n_k + together - 1) / together;
            compute.parallel_each(planes * parts, 1, [&](Index part) {
              const Index plane = part / parts, first = part % parts * together;
              const Index keys = std::min(together, n_k - first);
              math::products_of_rows(a->data() + plane * rows * n_k + first, n_k, x->data() + plane * rows * d, rows,
                                     keys, d, to + (plane * n_k + first) * d);
            });
          },
      .explain =
          [a = a.id, x = x.id, rows, n_k, d](Index cell) {
            const Index c = cell % d, key = cell / d % n_k, plane = cell / (d * n_k);
            return Explanation{
                .terms = product_terms(rows, {a, plane * rows * n_k + key, n_k}, {x, plane * rows * d + c, d})};
          },
      .code = {code_in("axis"), code_in("dim")},
      .formula = {summed_product(a, x, a.axis_at(2).index)},
      .operations = linear_operations(rows, false)};
}

Operation project_back(const Array& g, const Array& w, const Array& like) {
  const bool one = w.axes.size() == 2;
  const Index heads = g.dim(1), n = g.dim(2), d = g.dim(3), d_in = like.dim(2);
  const auto code_in = [&](const char* library) {
    if (one) return fmt::format("{}[:, 0] @ {}.T", g.id, w.id);
    return fmt::format(R"({}.einsum("bmne,mde->bnd", {}, {}))", library, g.id, w.id);
  };
  return {.axes = like.axes,
          .run =
              [g = g.values, w = w.values, heads, d, d_in, scratch = std::make_shared<Scratch>()](Compute& compute,
                                                                                                  float* to) {
                const float* rows = joined(compute, *g, scratch->rows);
                float* back = sized(scratch->made, heads * d * d_in);
                math::transpose(compute, w->data(), heads, d_in, d, back);
                math::linear(compute, rows, back, nullptr, g->size() / (heads * d), heads * d, d_in, false, to);
              },
          .explain =
              [g = g.id, w = w.id, heads, n, d, d_in](Index cell) {
                const Index t = cell % d_in, i = cell / d_in % n, b = cell / (d_in * n);
                return Explanation{.terms = terms_of(heads * d, [&](Index term) {
                                     const Index m = term / d, c = term % d;
                                     return Term{{Operand::of(g, ((b * heads + m) * n + i) * d + c),
                                                  Operand::of(w, (m * d_in + t) * d + c)}};
                                   })};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("{}{}\\,{}^{{\\top}}", one ? "" : "\\sum_m ", written(g), written(w))},
          .operations = linear_operations(heads * d, false)};
}

Operation products_by_head(const Array& x, const Array& g, const Array& like) {
  const bool one = like.axes.size() == 2;
  const Index batches = g.dim(0), heads = g.dim(1), n = g.dim(2), d = g.dim(3), d_in = x.dim(2);
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bnd,bmne->{}", {}, {}))", library, one ? "de" : "mde", x.id, g.id);
  };
  return {.axes = like.axes,
          .run =
              [=, x = x.values, g = g.values, scratch = std::make_shared<Scratch>()](Compute& compute, float* to) {
                const float* rows = joined(compute, *g, scratch->rows);  // (B·n, M·d')
                float* made = heads == 1 ? to : sized(scratch->made, d_in * heads * d);
                math::products_of_rows(compute, x->data(), rows, batches * n, d_in, heads * d, made);
                for (Index t = 0; t < d_in && heads > 1; ++t)
                  for (Index m = 0; m < heads; ++m) std::copy_n(made + (t * heads + m) * d, d, to + (m * d_in + t) * d);
              },
          .explain =
              [=, x = x.id, g = g.id](Index cell) {
                const Index c = cell % d, t = cell / d % d_in, m = cell / (d * d_in);
                return Explanation{
                    .terms = terms_of(batches * n, [&](Index row) {
                      const Index b = row / n, i = row % n;
                      return Term{{Operand::of(x, row * d_in + t), Operand::of(g, ((b * heads + m) * n + i) * d + c)}};
                    })};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("\\sum_{{{}}} {}^{{\\top}}\\,{}", x.axis_at(1).index, written(x), written(g))},
          .operations = linear_operations(batches * n, false)};
}

Operation linear_back(const Array& g, const Array& w, const Array& like) {
  const Index d_out = w.dim(1), d_in = w.dim(0);
  return {.axes = like.axes,
          .run =
              [g = g.values, w = w.values, d_in, d_out](Compute& compute, float* to) {
                math::linear_back(compute, g->data(), w->data(), g->size() / d_out, d_in, d_out, to);
              },
          .explain =
              [g = g.id, w = w.id, d_in, d_out](Index cell) {
                const Index row = cell / d_in, t = cell % d_in;
                return Explanation{.terms = product_terms(d_out, {g, row * d_out}, {w, t * d_out})};
              },
          .code = both(fmt::format("{} @ {}.T", g.id, w.id)),
          .formula = {fmt::format("{}\\,{}^{{\\top}}", written(g), written(w))},
          .operations = linear_operations(d_out, false)};
}

Operation products_of_rows(const Array& x, const Array& g, const Array& like) {
  const Index d_in = x.dim(-1), d_out = g.dim(-1), rows = x.size() / d_in;
  return {.axes = like.axes,
          .run = [=, x = x.values, g = g.values](
                     Compute& compute,
                     float* to) { math::products_of_rows(compute, x->data(), g->data(), rows, d_in, d_out, to); },
          .explain =
              [=, x = x.id, g = g.id](Index cell) {
                const Index t = cell / d_out, c = cell % d_out;
                return Explanation{.terms = product_terms(rows, {x, t, d_in}, {g, c, d_out})};
              },
          .code = both(fmt::format("{}.reshape(-1, {}).T @ {}.reshape(-1, {})", x.id, d_in, g.id, d_out)),
          .formula = {fmt::format("\\sum {}^{{\\top}}\\,{}", written(x), written(g))},
          .operations = linear_operations(rows, false)};
}

Operation products_with_vector(const Array& g, const Array& w, const Array& like) {
  const Index h = w.size();
  return {.axes = like.axes,
          .run =
              [g = g.values, w = w.values, h](Compute& compute, float* to) {
                compute.parallel_each(g->size(), 256,
                                      [&](Index row) { math::scale(w->data(), (*g)[row], h, to + row * h); });
              },
          .explain =
              [g = g.id, w = w.id, h](Index cell) {
                return Explanation{.terms = {{{Operand::of(g, cell / h), Operand::of(w, cell % h)}}}};
              },
          .code = both(fmt::format("{}[..., None] * {}", g.id, w.id)),
          .formula = {fmt::format("{}\\,{}", written(g), written(w))},
          .operations = 2};
}

Operation sum_of_weighted_rows(const Array& g, const Array& x, const Array& like) {
  const Index h = like.size(), rows = g.size();
  return {.axes = like.axes,
          .run =
              [=, g = g.values, x = x.values](Compute& compute, float* to) {
                constexpr Index together = 1024;
                const Index parts = (rows + together - 1) / together;
                std::vector<float> sums(static_cast<std::size_t>(parts * h));
                compute.parallel_each(parts, 1, [&](Index part) {
                  const Index first = part * together, count = std::min(together, rows - first);
                  math::weighted_sum(g->data() + first, x->data() + first * h, 0, 1, 1, count, h,
                                     sums.data() + part * h);
                });
                SummedAxes({parts, h}, {false, true}).run(compute, sums.data(), to);
              },
          .explain =
              [=, g = g.id, x = x.id](Index c) {
                return Explanation{.terms = product_terms(rows, {g, 0}, {x, c, h})};
              },
          .code = both(fmt::format("{}.reshape(-1) @ {}.reshape(-1, {})", g.id, x.id, h)),
          .formula = {fmt::format("\\sum {}\\,{}", written(g), written(x))},
          .operations = linear_operations(rows, false)};
}

Operation split_heads(const Array& g, const Array& like) {
  const Shape shape = like.shape();  // (B, M, n, d')
  const auto from = [shape](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, c
    return ((at[0] * shape[2] + at[2]) * shape[1] + at[1]) * shape[3] + at[3];
  };
  const auto code_in = [&](const char* swap) {
    return fmt::format("{}.reshape{}.{}(1, 2)", g.id, to_string(Shape{shape[0], shape[2], shape[1], shape[3]}), swap);
  };
  return {.axes = like.axes,
          .run =
              [g = g.values, shape](Compute& compute, float* to) {
                const Index heads = shape[1], n = shape[2], d = shape[3];
                compute.parallel_each(g->size() / d, 64, [&](Index row) {
                  const Index i = row % n, m = row / n % heads, b = row / (n * heads);
                  std::copy_n(g->data() + ((b * n + i) * heads + m) * d, d, to + row * d);
                });
              },
          .explain = [g = g.id, from](Index cell) { return Explanation{.terms = {{{Operand::of(g, from(cell))}}}}; },
          .code = {code_in("swapaxes"), code_in("transpose")},
          .formula = {written(g)},
          .operations = 1};
}

Operation times_slope_of_tanh(const Array& g, const Array& f) {
  return {.axes = g.axes,
          .run =
              [g = g.values, f = f.values](Compute& compute, float* to) {
                compute.parallel(g->size(), 1 << 14, [&](Index begin, Index end) {
                  const float *from = g->data(), *made = f->data();
                  for (Index cell = begin; cell < end; ++cell)
                    to[cell] = from[cell] * ((1 - made[cell]) * (1 + made[cell]));
                });
              },
          .explain =
              [g = g.id, f = f.values](Index cell) {
                const double made = (*f)[cell];
                return Explanation{
                    .terms = {{{Operand::of(g, cell), Operand::constant(1 - made * made, "slope of tanh")}}}};
              },
          .code = both(fmt::format("{} * (1 - {}**2)", g.id, f.id)),
          .formula = {fmt::format("{}\\,\\bigl(1 - {}^2\\bigr)", written(g), written(f))},
          .operations = 4};
}

Operation times_slope(const Array& g, const Array& x, Combine rule, const std::string& activated) {
  return {.axes = g.axes,
          .run =
              [g = g.values, x = x.values, slope = rule_of(rule).slope](Compute& compute, float* to) {
                compute.parallel_each(g->size(), 1024, [&](Index cell) {
                  to[cell] = static_cast<float>((*g)[cell] * slope((*x)[cell]));
                });
              },
          .explain =
              [g = g.id, x = x.values, rule = &rule_of(rule)](Index cell) {
                return Explanation{
                    .terms = {{{Operand::of(g, cell),
                                Operand::constant(rule->slope((*x)[cell]), fmt::format("slope of {}", rule->name))}}}};
              },
          .code = {{}, fmt::format("torch.autograd.functional.vjp(lambda z: {}, {}, {})[1]", activated, x.id, g.id)},
          .formula = {fmt::format("{}\\,f'\\bigl({}\\bigr)", written(g), written(x))},
          .operations = 2};
}

}  // namespace headlight::ops
