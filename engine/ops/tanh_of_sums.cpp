#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

Operation tanh_of_sums(const Array& q, const Array& k) {
  std::vector<Axis> axes{q.axis_at(0), q.axis_at(1), q.axis_at(2), k.axis_at(2), q.axis_at(3)};
  const Shape out = shape_of(axes);
  return {.axes = std::move(axes),
          .run =
              [q = q.values, k = k.values, out](Compute& compute, float* to) {
                math::tanh_of_sums(compute, q->data(), k->data(), out[0] * out[1], out[2], out[3], out[4], to);
              },
          .explain =
              [q = q.id, k = k.id, out](Index cell) {
                const Index c = cell % out[4], j = cell / out[4] % out[3], query = cell / (out[4] * out[3]),
                            plane = query / out[2];
                return Explanation{.combine = Combine::tanh,
                                   .terms = {{{Operand::of(q, query * out[4] + c)}},
                                             {{Operand::of(k, (plane * out[3] + j) * out[4] + c)}}}};
              },
          .code = {fmt::format("np.tanh({}[:, :, :, None] + {}[:, :, None])", q.id, k.id),
                   fmt::format("torch.tanh({}[:, :, :, None] + {}[:, :, None])", q.id, k.id)},
          .formula = {fmt::format("\\tanh\\bigl({} + {}\\bigr)", notation::written(q), notation::written(k))},
          .operations = 2,
          .role = Role::score,
          .backward =
              [q = q.id, k = k.id](BackwardPass& pass) {
                const Array g = pass.helper("sums", "∂ sums", "\\partial L/\\partial (q + k)",
                                            "What reaches the sums: the slope of tanh there says how much of it.",
                                            times_slope_of_tanh(pass.gradient(), pass.result()));
                pass.add(q, sum_over(g, g.shape(), 3, pass.array(q).axes));
                pass.add(k, sum_over(g, g.shape(), 2, pass.array(k).axes));
              }};
}

}  // namespace headlight::ops
