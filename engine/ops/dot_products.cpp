#include <algorithm>

#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// q (B, M, n_q, d') and k (B, G, n_k, d') of cell (b, m, i, j); q may be one (M, d') for all queries, which
// `shared` consecutive maps read.
Explain explained(const Array& q, const Array& k, const Shape& out, const Factor& factor, Index shared = 0) {
  return [=, q = q.id, k = k.id, d = k.dim(3), group = out[1] / k.dim(1), scale = factor.value, label = factor.label,
          root_of = factor.root_of](Index cell) {
    const Index j = cell % out[3], query = cell / out[3], plane = query / out[2];
    const Index from = shared > 0 ? plane % out[1] / shared : query;
    return Explanation{.scale = scale,
                       .terms = product_terms(d, {q, from * d}, {k, (plane / group * out[3] + j) * d}),
                       .scale_label = label,
                       .root_of = root_of};
  };
}

}  // namespace

Code heads_repeated(const Array& x, Index times) {
  if (times == 1) return both(x.id);
  return {fmt::format("np.repeat({}, {}, axis=1)", x.id, times),
          fmt::format("{}.repeat_interleave({}, dim=1)", x.id, times)};
}

Operation dot_products(const Array& q, const Array& k) {
  std::vector<Axis> axes{q.axis_at(0), q.axis_at(1), q.axis_at(2), k.axis_at(2)};
  const Shape out = shape_of(axes);
  const Index group = q.dim(1) / k.dim(1);
  const Code keys = heads_repeated(k, group);
  const std::string product = fmt::format("{} \\cdot {}", notation::written(q), notation::written(k));
  return {.axes = std::move(axes),
          // The queries of heads that share a key head stand one after the other.
          .rows = {.run = [q = q.values, k = k.values, together = group * out[2], n = out[3], d = q.dim(3)](
                              Index begin, Index end,
                              float* to) { math::dot_products(q->data(), k->data(), begin, end, together, n, d, to); },
                   .sharing = group * out[2],
                   .length = out[3]},
          .explain = explained(q, k, out, {}),
          .code = {fmt::format("{} @ {}.swapaxes(-2, -1)", q.id, keys.numpy),
                   fmt::format("{} @ {}.transpose(-2, -1)", q.id, keys.torch)},
          .formula = {.right = fmt::format("{} = \\sum_c {}\\,{}", product, notation::channel(q), notation::channel(k)),
                      .definition = product},
          .operations = linear_operations(q.dim(3), false),
          .kind = Kind::score,
          .role = Role::score,
          .backward = [q = q.id, k = k.id](BackwardPass& pass) {
            pass.add(q, weighted_sum(pass.gradient(), pass.array(k)));
            pass.add(k, sum_over_queries(pass.gradient(), pass.array(q), pass.array(k)));
          }};
}

Operation dot_products(const Array& q, const Array& k, const Factor& factor) {
  Operation op = dot_products(q, k);
  op.rows.run = [multiply = std::move(op.rows.run), n = k.dim(2), factor = factor.value](Index begin, Index end,
                                                                                         float* to) {
    multiply(begin, end, to);
    float* rows = to + begin * n;
    if (factor != 1) math::scale(rows, static_cast<float>(factor), (end - begin) * n, rows);
  };
  op.explain = explained(q, k, shape_of(op.axes), factor);
  for (std::string* line : {&op.code.numpy, &op.code.torch})
    if (!factor.in_code.empty()) *line += " " + factor.in_code;
  op.formula = {factor.left + op.formula.definition + factor.right};
  op.backward = [q = q.id, k = k.id, factor](BackwardPass& pass) {
    const Array g = pass.helper("scaled", "∂ dot products", "\\partial L/\\partial (q k)",
                                "What reaches the products before they are scaled.", scaled(pass.gradient(), factor));
    pass.add(q, weighted_sum(g, pass.array(k)));
    pass.add(k, sum_over_queries(g, pass.array(q), pass.array(k)));
  };
  return op;
}

Operation dot_products_for_all_queries(const Array& u, const Array& k, const Axis& queries) {
  return dot_products_for_all_queries(u, k, queries, k.axis_at(1), {});
}

Operation dot_products_for_all_queries(const Array& u, const Array& k, const Axis& queries, const Axis& maps,
                                       const std::string& scores_before) {
  std::vector<Axis> axes{k.axis_at(0), maps, queries, k.axis_at(2)};
  const Shape out = shape_of(axes);
  const Index group = out[1] / k.dim(1), each = out[1] / u.dim(0);
  const auto code_in = [&](const char* library, const std::string& keys, const char* heads, const char* repeat) {
    return fmt::format(R"({}.einsum("me,bmje->bmj", {}, {})[:, :, None].{})", library,
                       each == 1 ? u.id : fmt::format(fmt::runtime(heads), u.id, each), keys,
                       fmt::format(fmt::runtime(repeat), out[2]));
  };
  const Code keys = heads_repeated(k, group);
  return {.axes = std::move(axes),
          .rows = {.of = scores_before,
                   .run =
                       [u = u.values, k = k.values, out, group, each, d = k.dim(3)](Index begin, Index end, float* to) {
                         const Index n = out[3];
                         for (Index row = begin; row < end; ++row) {
                           const Index plane = row / out[2];
                           if (row == begin || row % out[2] == 0)
                             math::dot_products(u->data() + plane % out[1] / each * d,
                                                k->data() + plane / group * n * d, 0, 1, 1, n, d, to + row * n);
                           else
                             std::copy_n(to + (row - 1) * n, n, to + row * n);
                         }
                       },
                   .sharing = out[2],
                   .length = out[3]},
          .explain = explained(u, k, out, {}, each),
          .code = {code_in("np", keys.numpy, "np.repeat({}, {}, axis=0)", "repeat({}, axis=2)"),
                   code_in("torch", keys.torch, "{}.repeat_interleave({}, dim=0)", "expand(-1, -1, {}, -1)")},
          .formula = {.right = fmt::format("{} \\cdot {} = \\sum_c {}\\,{}", notation::written(u), notation::written(k),
                                           notation::channel(u), notation::channel(k)),
                      .aside = fmt::format("\\qquad \\text{{for every }} {}", queries.index)},
          .operations = linear_operations(k.dim(3), false),
          .kind = Kind::score,
          .role = Role::score};
}

}  // namespace headlight::ops
