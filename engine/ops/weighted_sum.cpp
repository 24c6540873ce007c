#include "engine/math/math.h"
#include "engine/math/seen_rows.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// (B, n, d) as (B, 1, n, d).
Array as_one_head(Array x, const Axis& heads) {
  x.axes.insert(x.axes.begin() + 1, heads);
  return x;
}

Backward backward_of_one_head(const Array& a, const Array& v) {
  return [a = a.id, v = v.id](BackwardPass& pass) {
    const Array &g = pass.gradient(), &weights = pass.array(a), &values = pass.array(v);
    const Array rows = as_one_head(g, weights.axis_at(1)), read = as_one_head(values, weights.axis_at(1));
    Operation of_weights = dot_products(rows, read), of_values = sum_over_queries(weights, rows, read);
    of_weights.code = both(fmt::format("({} @ {}.swapaxes(-2, -1))[:, None]", g.id, v));
    of_values.code = both(fmt::format("{}[:, 0].swapaxes(-2, -1) @ {}", a, g.id));
    pass.add(a, std::move(of_weights));
    pass.add(v, std::move(of_values));
  };
}

}  // namespace

Operation weighted_sum(const Array& a, const Array& v) {
  const bool one_head = v.axes.size() == 3;
  std::vector<Axis> axes{a.axis_at(0), a.axis_at(1), a.axis_at(2), v.axis_at(-1)};
  const Shape out = shape_of(axes);
  if (one_head) axes.erase(axes.begin() + 1);
  const Index n_k = a.dim(3), group = one_head ? 1 : a.dim(1) / v.dim(1);
  const Code values = heads_repeated(v, group);
  const std::string weights = a.id + (one_head ? "[:, 0]" : "");
  return {.axes = std::move(axes),
          // The rows of heads that share a value head stand one after the other.
          .rows = {.of = a.id,
                   .run =
                       [a = a.values, v = v.values, together = group * out[2], n_k, d = out[3],
                        seen = v.finite ? a.seen : nullptr](Index begin, Index end, float* to) {
                         if (seen)
                           math::weighted_sum(a->data(), v->data(), *seen, begin, end, together, n_k, d, to);
                         else
                           math::weighted_sum(a->data(), v->data(), begin, end, together, n_k, d, to);
                       },
                   .sharing = group * out[2],
                   .length = n_k},
          .explain =
              [a = a.id, v = v.id, out, n_k, group](Index cell) {
                const Index c = cell % out[3], query = cell / out[3], plane = query / out[2];
                return Explanation{
                    .terms = product_terms(n_k, {a, query * n_k}, {v, plane / group * n_k * out[3] + c, out[3]})};
              },
          .code = {fmt::format("{} @ {}", weights, values.numpy), fmt::format("{} @ {}", weights, values.torch)},
          .formula = {fmt::format("\\sum_{{{}}} {}\\,{}", notation::over_keys(a), notation::written(a),
                                  notation::written(v))},
          .operations = linear_operations(n_k, false),
          .role = Role::output,
          .backward = one_head ? backward_of_one_head(a, v) : Backward([a = a.id, v = v.id](BackwardPass& pass) {
            pass.add(a, dot_products(pass.gradient(), pass.array(v)));
            pass.add(v, sum_over_queries(pass.array(a), pass.gradient(), pass.array(v)));
          })};
}

Operation weighted_sum_plus(const Array& a, const Array& v, const Array& extra) {
  Operation op = weighted_sum(a, v);
  op.rows.run = [run = std::move(op.rows.run), extra = extra.values](Index begin, Index end, float* to) {
    run(begin, end, to);
    const Index d = extra->dim(-1);
    math::add(to + begin * d, extra->data() + begin * d, (end - begin) * d, to + begin * d);
  };
  op.explain = [explain = std::move(op.explain), extra = extra.id](Index cell) {
    Explanation e = explain(cell);
    e.terms.push_back({{Operand::of(extra, cell)}});
    return e;
  };
  op.code = {fmt::format("{} + {}", op.code.numpy, extra.id), fmt::format("{} + {}", op.code.torch, extra.id)};
  op.formula.right += " + " + notation::written(extra);
  op.operations += 1;
  op.backward = [of_sum = std::move(op.backward), extra = extra.id](BackwardPass& pass) {
    of_sum(pass);
    pass.add(extra, pass_through(pass.gradient(), pass.array(extra)));
  };
  return op;
}

}  // namespace headlight::ops
