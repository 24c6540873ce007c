#include <algorithm>

#include "engine/math/math.h"
#include "engine/ops/picture_gradients.h"

namespace headlight::ops {

Positions::Positions(Array x) : x_(std::move(x)), laid_out_(std::make_shared<LaidOut>()) {
  for (std::size_t axis = 2; axis < x_.axes.size(); ++axis) count_ *= x_.axes[axis].size;
}

std::shared_ptr<const Tensor> Positions::rows(Compute& compute) const {
  const std::shared_ptr<const Tensor> shared(laid_out_, &laid_out_->rows);
  const bool is_laid_out = shared->size() > 0;
  if (is_laid_out && laid_out_->pass == compute.pass()) return shared;
  if (!is_laid_out) laid_out_->rows = Tensor::uninitialized({x_.dim(0), count_, channels()});
  math::transpose(compute, x_.data(), x_.dim(0), channels(), count_, laid_out_->rows.data());
  laid_out_->pass = compute.pass();
  return shared;
}

std::shared_ptr<const Tensor> Positions::rows(Compute& compute, const Axis& axis) const {
  const auto every = rows(compute);
  if (all(axis)) return every;
  auto one = std::make_shared<Tensor>(Tensor::uninitialized({x_.dim(0), 1, channels()}));
  for (Index b = 0; b < x_.dim(0); ++b)
    std::copy_n(every->data() + (b * count_ + *axis.only) * channels(), channels(), one->data() + b * channels());
  return one;
}

std::string Positions::written(const Axis& axis) const {
  Array at = x_;
  at.axes = {axis};
  return notation::written(at);
}

Code Positions::code(const Axis& axis) const {
  const std::string at = all(axis) ? std::string() : fmt::format("[..., [{}]]", *axis.only);
  return {fmt::format("{0}.reshape(*{0}.shape[:2], -1){1}", x_.id, at), fmt::format("{}.flatten(2){}", x_.id, at)};
}

namespace {

Axis one_head() {
  return {.symbol = "M", .name = "head", .size = 1};
}

std::string with_bias(const Array& b, const char* at = "") {
  return b ? fmt::format(" + {}{}", b.id, at) : std::string();
}

// Of project() and, where w is (C', C), of embedding(), of all positions.
Backward backward_of_product(const Positions& of, const Array& by, const Array& bias) {
  return [x = of.x().id, w = by.id, b = bias.id](BackwardPass& pass) {
    const Array &g = pass.gradient(), &weights = pass.array(w);
    const Positions positions(pass.array(x));
    const bool is_transposed = weights.axes.size() == 2;
    pass.add(x, back_to_positions(is_transposed ? linear(g, weights) : project_back(g, weights, rows_like(positions)),
                                  pass.array(x)));
    pass.add(w, products_of_positions(positions, g, weights));
    if (!b.empty()) pass.add(b, sum_by_head(g, pass.array(b)));
  };
}

}  // namespace

Operation project(const Positions& x, const Array& w, const Array& b, const Axis& positions) {
  std::vector<Axis> axes{x.x().axis_at(0), w.axis_at(0), positions, w.axis_at(2)};
  const Shape out = shape_of(axes);
  const Code from = x.code(positions);
  const auto code_in = [&](const char* library, const std::string& pixels) {
    return fmt::format(R"({}.einsum("bcn,mce->bmne", {}, {}){})", library, pixels, w.id, with_bias(b, "[:, None]"));
  };
  return {.axes = std::move(axes),
          .run =
              [x, positions, w = w.values, b = b.values, out](Compute& compute, float* to) {
                const auto rows = x.rows(compute, positions);
                math::project(compute, rows->data(), w->data(), b ? b->data() : nullptr, out[0], out[2], x.channels(),
                              out[1], out[3], to);
              },
          .explain =
              [x = x.cells(), first = positions.only.value_or(0), w = w.id, b = b.id, out](Index cell) {
                const auto at = index_at_flat(out, cell);  // b, m, position, c
                Explanation e;
                for (Index t = 0; t < x.channels; ++t)
                  e.terms.push_back({{Operand::of(x.x, x.at(at[0], t, first + at[2])),
                                      Operand::of(w, (at[1] * x.channels + t) * out[3] + at[3])}});
                if (!b.empty()) e.terms.push_back({{Operand::of(b, at[1] * out[3] + at[3])}});
                return e;
              },
          .code = {code_in("np", from.numpy), code_in("torch", from.torch)},
          .formula = {fmt::format("{}\\,{}{}", x.written(positions), notation::written(w), notation::plus(b))},
          .operations = linear_operations(x.channels(), static_cast<bool>(b)),
          .role = w.role,
          .backward = x.all(positions) ? backward_of_product(x, w, b) : Backward{}};
}

Operation embedding(const Positions& x, const Array& w, const Array& b, const Axis& positions) {
  std::vector<Axis> axes{x.x().axis_at(0), one_head(), positions, w.axis_at(0)};
  const Shape out = shape_of(axes);
  const Code from = x.code(positions);
  const auto code_in = [&](const char* library, const std::string& rows) {
    return fmt::format(R"({}.einsum("bcn,ec->bne", {}, {})[:, None]{})", library, rows, w.id, with_bias(b));
  };
  return {.axes = std::move(axes),
          .run =
              [x, positions, w = w.values, b = b.values, out](Compute& compute, float* to) {
                const auto rows = x.rows(compute, positions);
                math::pointwise(compute, rows->data(), w->data(), b ? b->data() : nullptr, out[0] * out[2],
                                x.channels(), out[3], to);
              },
          .explain =
              [x = x.cells(), first = positions.only.value_or(0), w = w.id, b = b.id, out](Index cell) {
                const Index c = cell % out[3], i = first + cell / out[3] % out[2], batch = cell / (out[3] * out[2]);
                Explanation e;
                for (Index t = 0; t < x.channels; ++t)
                  e.terms.push_back({{Operand::of(x.x, x.at(batch, t, i)), Operand::of(w, c * x.channels + t)}});
                if (!b.empty()) e.terms.push_back({{Operand::of(b, c)}});
                return e;
              },
          .code = {code_in("np", from.numpy), code_in("torch", from.torch)},
          .formula = {fmt::format("{}\\,{}{}", notation::written(w), x.written(positions), notation::plus(b))},
          .operations = linear_operations(x.channels(), static_cast<bool>(b)),
          .role = w.role,
          .backward = x.all(positions) ? backward_of_product(x, w, b) : Backward{}};
}

Operation positions_first(const Positions& x, const Axis& positions) {
  std::vector<Axis> axes{x.x().axis_at(0), one_head(), positions, x.x().axis_at(1)};
  const Code from = x.code(positions);
  return {.axes = std::move(axes),
          .run =
              [x, positions](Compute& compute, float* to) {
                const auto rows = x.rows(compute, positions);
                std::copy_n(rows->data(), rows->size(), to);
              },
          .explain =
              [x = x.cells(), first = positions.only.value_or(0), n = positions.size](Index cell) {
                const Index c = cell % x.channels, i = first + cell / x.channels % n, b = cell / (x.channels * n);
                return Explanation{.terms = {{{Operand::of(x.x, x.at(b, c, i))}}}};
              },
          .code = {from.numpy + ".swapaxes(1, 2)[:, None]", from.torch + ".transpose(1, 2)[:, None]"},
          .formula = {x.written(positions)},
          .operations = 1,
          .backward = x.all(positions) ? Backward([of = x.x().id](BackwardPass& pass) {
            pass.add(of, back_to_positions(copy(pass.gradient()), pass.array(of)));
          })
                                       : Backward{}};
}

Operation add_at(const Positions& x, const Array& change, const Axis& positions) {
  Operation op = x.all(positions) ? sum(change, x.x()) : copy(change);
  op.formula = {fmt::format("{} + {}", notation::written(change), x.written(positions))};
  if (x.all(positions)) return op;
  op.backward = {};
  op.operations = 2;
  const Code from = x.code(positions);
  op.code = {fmt::format("{} + {}", change.id, from.numpy), fmt::format("{} + {}", change.id, from.torch)};
  op.run = [change = change.values, x = x.x().values, n = x.count(), first = *positions.only](Compute&, float* to) {
    for (Index i = 0; i < change->size(); ++i) to[i] = (*change)[i] + (*x)[i * n + first];
  };
  op.explain = [change = change.id, x = x.x().id, n = x.count(), first = *positions.only](Index cell) {
    return Explanation{.terms = {{{Operand::of(change, cell)}}, {{Operand::of(x, cell * n + first)}}}};
  };
  return op;
}

}  // namespace headlight::ops
