#include "engine/math/math.h"
#include "engine/ops/picture_ops.h"

namespace headlight::ops {

// The sum over [q_i; k_j] falls apart into one over q_i and one over k_j, so each is summed once and not n times.
Operation relu_of_pairs(const Array& q, const Array& k, const Array& w) {
  std::vector<Axis> axes{q.axis_at(0), q.axis_at(1), q.axis_at(2), k.axis_at(2)};
  const Shape out = shape_of(axes);
  const Index width = q.dim(3);
  const std::string sums =
      fmt::format("({1} @ {3}[:{0}])[..., None] + ({2} @ {3}[{0}:])[..., None, :]", width, q.id, k.id, w.id);
  return {.axes = std::move(axes),
          .run =
              [q = q.values, k = k.values, w = w.values, out, width](Compute& compute, float* to) {
                Tensor of_queries = Tensor::uninitialized({out[0], out[2]});
                Tensor of_keys = Tensor::uninitialized({out[0], out[3]});
                math::pointwise(compute, q->data(), w->data(), nullptr, of_queries.size(), width, 1, of_queries.data());
                math::pointwise(compute, k->data(), w->data() + width, nullptr, of_keys.size(), width, 1,
                                of_keys.data());
                math::relu_of_sums(compute, of_queries.data(), of_keys.data(), out[0], out[2], out[3], to);
              },
          .explain =
              [q = q.id, k = k.id, w = w.id, out, width](Index cell) {
                const Index j = cell % out[3], row = cell / out[3], b = row / out[2];
                Explanation e{.combine = Combine::relu, .terms = product_terms(width, {w, 0}, {q, row * width})};
                for (Index c = 0; c < width; ++c)
                  e.terms.push_back({{Operand::of(w, width + c), Operand::of(k, (b * out[3] + j) * width + c)}});
                return e;
              },
          .code = {fmt::format("np.maximum({}, 0)", sums), fmt::format("torch.relu({})", sums)},
          .formula = {fmt::format("\\operatorname{{ReLU}}\\bigl({} \\cdot [\\, {} \\,;\\, {} \\,]\\bigr)",
                                  notation::written(w), notation::written(q), notation::written(k))},
          .operations = linear_operations(2 * width, false),
          .kind = Kind::score,
          .role = Role::score};
}

}  // namespace headlight::ops
