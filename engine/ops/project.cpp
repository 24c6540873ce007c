#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// x (B, n, d_in) · w (M, d_in, d') + b (M, d') → (B, M, n, d').
Explain explained(const Array& x, const Array& w, const Array& b, const Shape& out) {
  const Index d_in = x.dim(2);
  return [=, x = x.id, w = w.id, b = b.id](Index cell) {
    const Index c = cell % out[3], i = cell / out[3] % out[2], m = cell / (out[3] * out[2]) % out[1],
                batch = cell / (out[3] * out[2] * out[1]);
    Explanation e{.terms = product_terms(d_in, {x, (batch * out[2] + i) * d_in}, {w, m * d_in * out[3] + c, out[3]})};
    if (!b.empty()) e.terms.push_back({{Operand::of(b, m * out[3] + c)}});
    return e;
  };
}

Code code_of(const Array& x, const Array& w, const Array& b) {
  const char* by_head = b.axes.size() == 1 ? "" : "[:, None]";
  const std::string bias = b ? fmt::format(" + {}{}", b.id, by_head) : std::string();
  if (w.axes.size() == 2) return both(fmt::format("({} @ {}{})[:, None]", x.id, w.id, bias));
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bnd,mde->bmne", {}, {}){})", library, x.id, w.id, bias);
  };
  return {code_in("np"), code_in("torch")};
}

}  // namespace

Operation project(const Array& x, const Array& w, const Array& b) {
  const Axis heads = w.axes.size() == 2 ? Axis{.symbol = "M", .name = "head", .size = 1} : w.axis_at(0);
  std::vector<Axis> axes{x.axis_at(0), heads, x.axis_at(1), w.axis_at(-1)};
  const Shape out = shape_of(axes);
  return {.axes = std::move(axes),
          .run =
              [x = x.values, w = w.values, b = b.values, d_in = x.dim(2), out](Compute& compute, float* to) {
                math::project(compute, x->data(), w->data(), b ? b->data() : nullptr, out[0], out[2], d_in, out[1],
                              out[3], to);
              },
          .explain = explained(x, w, b, out),
          .code = code_of(x, w, b),
          .formula = {fmt::format("{}\\,{}{}", notation::written(x), notation::written(w), notation::plus(b))},
          .operations = linear_operations(x.dim(2), static_cast<bool>(b)),
          .role = w.role,
          .backward =
              [x = x.id, w = w.id, b = b.id](BackwardPass& pass) {
                const Array& g = pass.gradient();
                pass.add(x, project_back(g, pass.array(w), pass.array(x)));
                pass.add(w, products_by_head(pass.array(x), g, pass.array(w)));
                if (!b.empty()) pass.add(b, sum_by_head(g, pass.array(b)));
              }};
}

}  // namespace headlight::ops
