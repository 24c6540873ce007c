// Operations whose every number comes from the same place of what they read.
#include <algorithm>
#include <cmath>

#include "engine/core/mistake.h"
#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// What an operation gives is no input any more.
Kind computed_kind(Kind kind) {
  return kind == Kind::input ? Kind::activation : kind;
}

}  // namespace

Operation scaled(const Array& x, const Factor& factor) {
  const auto by = [&](const std::string& what) { return factor.left + what + factor.right; };
  return {
      .axes = x.axes,
      .rows = {x.id, [x = x.values, factor = static_cast<float>(factor.value), n = x.dim(-1)](
                         Index begin, Index end,
                         float* to) { math::scale(x->data() + begin * n, factor, (end - begin) * n, to + begin * n); }},
      .explain =
          [x = x.id, factor](Index cell) {
            return Explanation{.scale = factor.value,
                               .terms = {{{Operand::of(x, cell)}}},
                               .scale_label = factor.label,
                               .root_of = factor.root_of};
          },
      .code = both(fmt::format("{} {}", x.id, factor.in_code)),
      .formula = {.right = by(notation::written(x)),
                  .definition = x.definition.empty() ? std::string() : by(x.definition)},
      .operations = 1,
      .kind = x.kind,
      .role = x.role,
      .backward = [x = x.id, factor](BackwardPass& pass) { pass.add(x, scaled(pass.gradient(), factor)); }};
}

Factor over_root_of(const Array& x) {
  return over_root_of(x.dim(-1), x.axis_at(-1).symbol);
}

Factor over_root_of(Index width, const std::string& symbol, bool in_front) {
  return {.value = 1 / std::sqrt(static_cast<double>(width)),
          .label = fmt::format("1/√{}", width),
          .in_code = fmt::format("/ {}**0.5", width),
          .left = in_front ? fmt::format("\\frac{{1}}{{\\sqrt{{{}}}}}\\,", symbol) : "\\frac{",
          .right = in_front ? "" : fmt::format("}}{{\\sqrt{{{}}}}}", symbol),
          .root_of = width};
}

Operation scaled_plus(const Array& x, const Factor& factor, const Array& bias) {
  Operation op = scaled(x, factor);
  const PlanesOfHeads planes(x, bias);
  const Index pairs = x.dim(2) * x.dim(3);
  op.rows.run = [scale = std::move(op.rows.run), bias = bias.values, planes, queries = x.dim(2), n = x.dim(3)](
                    Index begin, Index end, float* to) {
    scale(begin, end, to);
    for (Index row = begin; row < end; ++row)
      math::add(to + row * n, bias->data() + (planes.plane(row / queries) * queries + row % queries) * n, n,
                to + row * n);
  };
  op.explain = [x = x.id, bias = bias.id, planes, pairs, factor](Index cell) {
    return Explanation{.terms = {{{Operand::constant(factor.value, factor.label), Operand::of(x, cell)}},
                                 {{Operand::of(bias, planes.plane(cell / pairs) * pairs + cell % pairs)}}}};
  };
  const Code added = heads_repeated(bias, planes.maps / planes.heads);
  op.code = {fmt::format("{} {} + {}", x.id, factor.in_code, added.numpy),
             fmt::format("{} {} + {}", x.id, factor.in_code, added.torch)};
  for (std::string* text : {&op.formula.right, &op.formula.definition})
    if (!text->empty()) *text += " + " + notation::written(bias);
  op.operations = 2;
  op.backward = [x = x.id, bias = bias.id, factor](BackwardPass& pass) {
    pass.add(x, scaled(pass.gradient(), factor));
    pass.add(bias, sum_to_heads(pass.gradient(), pass.array(bias)));
  };
  return op;
}

Operation sum(const Array& a, const Array& b) {
  if (b.size() == 0 || a.size() % b.size() != 0 || b.dim(-1) != a.dim(-1))
    mistake("ops::sum of {} {} and {} {}: b must have a's shape, or that of one of its batch items", a.id,
            to_string(a.shape()), b.id, to_string(b.shape()));
  return {.axes = a.axes,
          .rows = {.of = a.id,
                   .run =
                       [a = a.values, b = b.values, n = a.dim(-1), again = b.size() / a.dim(-1)](Index begin, Index end,
                                                                                                 float* to) {
                         for (Index row = begin; row < end; ++row)
                           math::add(a->data() + row * n, b->data() + row % again * n, n, to + row * n);
                       }},
          .explain =
              [a = a.id, b = b.id, size = b.size()](Index cell) {
                return Explanation{.terms = {{{Operand::of(a, cell)}}, {{Operand::of(b, cell % size)}}}};
              },
          .code = both(fmt::format("{} + {}", a.id, b.id)),
          .formula = {fmt::format("{} + {}", notation::written(a), notation::written(b))},
          .operations = 2,
          .kind = computed_kind(a.kind),
          .role = a.role,
          .backward =
              [a = a.id, b = b.id, whole = a.size() == b.size()](BackwardPass& pass) {
                const Array &g = pass.gradient(), &addend = pass.array(b);
                pass.add(a, pass_through(g, pass.array(a)));
                pass.add(b, whole ? pass_through(g, addend) : sum_to_size(g, addend));
              }};
}

Operation product(const Array& a, const Array& b) {
  if (a.size() != b.size())
    mistake("ops::product of {} {} and {} {}: both must have one shape", a.id, to_string(a.shape()), b.id,
            to_string(b.shape()));
  return {.axes = a.axes,
          .run =
              [a = a.values, b = b.values](Compute&, float* to) {
                for (Index i = 0; i < a->size(); ++i) to[i] = (*a)[i] * (*b)[i];
              },
          .explain =
              [a = a.id, b = b.id](Index cell) {
                return Explanation{.terms = {{{Operand::of(a, cell), Operand::of(b, cell)}}}};
              },
          .code = both(fmt::format("{} * {}", a.id, b.id)),
          .formula = {fmt::format("{} \\odot {}", notation::written(a), notation::written(b))},
          .operations = 2,
          .kind = computed_kind(a.kind),
          .role = a.role,
          .backward =
              [a = a.id, b = b.id](BackwardPass& pass) {
                pass.add(a, product(pass.gradient(), pass.array(b)));
                pass.add(b, product(pass.gradient(), pass.array(a)));
              }};
}

Operation copy(const Array& x) {
  return {.axes = x.axes,
          .run = [x = x.values](Compute&, float* to) { std::copy_n(x->data(), x->size(), to); },
          .explain = [x = x.id](Index cell) { return Explanation{.terms = {{{Operand::of(x, cell)}}}}; },
          .code = both(x.id),
          .formula = {notation::written(x)},
          .operations = 1,
          .kind = computed_kind(x.kind),
          .role = x.role,
          .backward = [x = x.id](BackwardPass& pass) { pass.add(x, pass_through(pass.gradient(), pass.array(x))); }};
}

}  // namespace headlight::ops
