#include <limits>

#include "engine/math/math.h"
#include "engine/ops/picture_ops.h"

namespace headlight::ops {

namespace {

constexpr const char* outside = "outside the picture";

// "windows(k, (4, 6), 3)".
std::string windows(const std::string& array, const math::Window& window) {
  return fmt::format("windows({}, ({}, {}), {})", array, window.rows, window.columns, window.extent);
}

// A line that tells the keys in the picture from those outside, (1, 1, HW, k²).
std::string inside(const char* library, const math::Window& window) {
  const std::string ones = fmt::format("{}.ones((1, 1, {}, 1))", library, window.pixels());
  return fmt::format("inside = {}[..., 0] == 1  # in the picture\n", windows(ones, window));
}

// "\qquad k = 0 \text{ outside the picture}".
std::string zero_outside(const Array& array) {
  return fmt::format("\\qquad {} = 0 \\text{{ outside the picture}}", notation::written(array));
}

// 0 outside the picture, whatever q is: NaN too.
Code code_of_scores(const Array& q, const Array& k, const math::Window& window, const Factor& factor) {
  const std::string then = factor.in_code.empty() ? std::string() : " " + factor.in_code;
  const auto code_in = [&](const char* library) {
    const std::string products =
        fmt::format(R"({}.einsum("bmie,bmije->bmij", {}, {}))", library, q.id, windows(k.id, window));
    if (q.finite) return products + then;
    return fmt::format("{}{{to}} = {}.where(inside, {}, 0.0){}", inside(library, window), library, products, then);
  };
  return {code_in("np"), code_in("torch")};
}

}  // namespace

Operation dot_products_in_neighborhood(const Array& q, const Array& k, const math::Window& window, const Factor& factor,
                                       const Axis& keys) {
  const Index d = q.dim(3), pixels = window.pixels(), count = window.keys();
  return {.axes = {q.axis_at(0), q.axis_at(1), q.axis_at(2), keys},
          .run =
              [q = q.values, k = k.values, window, d, factor = factor.value](Compute& compute, float* to) {
                math::dot_products_in_neighborhood(compute, q->data(), k->data(), q->dim(0) * q->dim(1), window, d,
                                                   static_cast<float>(factor), to);
              },
          .explain =
              [=, q = q.id, k = k.id](Index cell) {
                const Index row = cell / count, plane = row / pixels;
                const Index pixel = math::pixel_at_key(window, row % pixels, cell % count);
                Explanation e;
                e.scale = factor.value;
                e.scale_label = factor.label;
                e.root_of = factor.root_of;
                if (pixel < 0) {
                  e.terms = {{{Operand::constant(0, outside)}}};
                  e.reason = "the key lies outside the picture, where keys are zeros";
                  return e;
                }
                e.terms = product_terms(d, {q, row * d}, {k, (plane * pixels + pixel) * d});
                return e;
              },
          .code = code_of_scores(q, k, window, factor),
          .formula = {.right = fmt::format("{}{} \\cdot {}{}", factor.left, notation::written(q), notation::written(k),
                                           factor.right),
                      .aside = zero_outside(k)},
          .operations = linear_operations(d, false),
          .kind = Kind::score,
          .role = Role::score};
}

Operation mask_outside(const Array& scores, const math::Window& window) {
  const auto code_in = [&](const char* library, const std::string& chosen) {
    return inside(library, window) + "{to} = " + chosen;
  };
  return {
      .axes = scores.axes,
      .run = [s = scores.values, window](
                 Compute& compute,
                 float* to) { math::hide_outside(compute, s->data(), s->dim(0) * s->dim(1), window, to); },
      .explain =
          [scores = scores.id, window](Index cell) {
            Explanation e;
            e.terms = {{{Operand::of(scores, cell)}}};
            if (math::pixel_at_key(window, cell / window.keys() % window.pixels(), cell % window.keys()) >= 0) return e;
            e.terms = {{{Operand::constant(-std::numeric_limits<double>::infinity(), outside)}}};
            e.reason = "masked: the key lies outside the picture";
            return e;
          },
      .code = {code_in("np", fmt::format("np.where(inside, {}, -np.inf)", scores.id)),
               code_in("torch", fmt::format(R"({}.masked_fill(~inside, float("-inf")))", scores.id))},
      .formula = {fmt::format("\\begin{{cases}} {} & \\text{{inside the picture}} \\\\ -\\infty & \\text{{outside}} "
                              "\\end{{cases}}",
                              notation::written(scores))},
      .operations = 1,
      .kind = Kind::score,
      .role = Role::score,
      .minus_infinity_masks = true};
}

Operation softmax_in_neighborhood(const Array& scores, const math::Window& window) {
  Operation op = softmax(scores);
  op.backward = {};
  op.explain = [window, softmax = std::move(op.explain)](Index cell) {
    Explanation e = softmax(cell);
    if (math::pixel_at_key(window, cell / window.keys() % window.pixels(), cell % window.keys()) < 0)
      e.reason = "masked: the key lies outside the picture";
    return e;
  };
  return op;
}

Operation weighted_sum_in_neighborhood(const Array& a, const Array& v, const math::Window& window, bool hidden) {
  const Index d = v.dim(3), pixels = window.pixels(), keys = window.keys();
  const auto most = static_cast<double>(window.most_inside());
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bmij,bmije->bmie", {}, {}))", library, a.id, windows(v.id, window));
  };
  return {.axes = {a.axis_at(0), a.axis_at(1), a.axis_at(2), v.axis_at(3)},
          .run =
              [a = a.values, v = v.values, window, d](Compute& compute, float* to) {
                math::weighted_sum_in_neighborhood(compute, a->data(), v->data(), v->dim(0) * v->dim(1), window, d, to);
              },
          .explain =
              [=, a = a.id, v = v.id](Index cell) {
                const Index c = cell % d, row = cell / d, plane = row / pixels;
                Explanation e;
                Index absent = 0;
                for (Index key = 0; key < keys; ++key) {
                  const Index pixel = math::pixel_at_key(window, row % pixels, key);
                  if (pixel < 0) ++absent;
                  if (pixel < 0 && hidden) continue;
                  e.terms.push_back(
                      {{Operand::of(a, row * keys + key),
                        pixel < 0 ? Operand::constant(0, outside) : Operand::of(v, (plane * pixels + pixel) * d + c)}});
                }
                if (absent > 0)
                  e.reason = fmt::format("{} of {} keys lie outside the picture{}", absent, keys,
                                         hidden ? " and take no part" : ", where values are zeros");
                return e;
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {.right = fmt::format("\\sum_{{{}}} {}\\,{}", notation::over_keys(a), notation::written(a),
                                           notation::written(v)),
                      .aside = hidden ? std::string() : zero_outside(v)},
          // Of the query with most keys in the picture: both numbers of a product there, and the weight of each value
          // of zeros.
          .operations = hidden ? 2 * most : most + static_cast<double>(keys),
          .role = Role::output};
}

}  // namespace headlight::ops
