#include "engine/variants/picture_parts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/math/math.h"
#include "engine/variants/code_lines.h"

namespace headlight::parts {

namespace {

constexpr const char* outside = "outside the picture";

Grid grid_of_x(const Recorder& r) {
  return {.rows = r.dim("H"), .columns = r.dim("W")};
}

}  // namespace

std::vector<Axis> picture_axes(const Recorder& r, const char* channels) {
  return {r.axis("B", "batch"), r.axis(channels, "channel"), r.axis("H", "row"), r.axis("W", "column")};
}

Axis pixel_axis(const Recorder& r, const char* symbol) {
  const std::string name = symbol;
  Axis axis = name == "n_q"   ? r.axis(name, "query", Role::query)
              : name == "n_k" ? r.axis(name, "key", Role::key)
                              : r.axis(name, "pixel");
  axis.grid = grid_of_x(r);
  if (axis.only) axis.labels = {place_of(*axis.grid, *axis.only)};
  return axis;
}

Axis window_axis(const Recorder& r, Index extent) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.grid = Grid{.rows = extent, .columns = extent};
  axis.window = true;
  return axis;
}

Tensor pixels_first(Recorder& r) {
  const Tensor& x = r.array("x");
  const Index batches = x.dim(0), channels = x.dim(1), pixels = x.dim(2) * x.dim(3);
  Tensor out = Tensor::uninitialized({batches, pixels, channels});
  math::transpose(r.compute(), x.data(), batches, channels, pixels, out.data());
  return out;
}

Tensor one_pixel(const Tensor& pixels, Index at) {
  const Index batches = pixels.dim(0), count = pixels.dim(1), channels = pixels.dim(2);
  Tensor out = Tensor::uninitialized({batches, 1, channels});
  for (Index b = 0; b < batches; ++b)
    std::copy_n(pixels.data() + (b * count + at) * channels, channels, out.data() + b * channels);
  return out;
}

const Tensor& project_pixels(Recorder& r, StepInfo info, const Tensor& pixels, const std::string& w,
                             const std::string& b, Index first) {
  const Tensor& W = r.array(w);
  const Tensor* bias = r.find(b);
  const Index n = pixels.dim(1), channels = pixels.dim(2), heads = W.dim(0), d_head = W.dim(2);
  const Shape shape{pixels.dim(0), heads, n, d_head};
  const Index all = r.array("x").dim(2) * r.array("x").dim(3);
  Tensor out = Tensor::uninitialized(shape);
  math::project(r.compute(), pixels.data(), W.data(), bias ? bias->data() : nullptr, shape[0], n, channels, heads,
                d_head, out.data());
  info.code = code::project_pixels(info.id, "x", w, bias ? b : "", n == all ? std::nullopt : std::optional(first));
  return r.step(std::move(info), std::move(out), [=, b = bias ? b : std::string()](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, pixel, c
    Explanation e;
    for (Index t = 0; t < channels; ++t)
      e.terms.push_back({{Operand::of("x", (at[0] * channels + t) * all + first + at[2]),
                          Operand::of(w, (at[1] * channels + t) * d_head + at[3])}});
    if (!b.empty()) e.terms.push_back({{Operand::of(b, at[1] * d_head + at[3])}});
    return e;
  });
}

const Tensor& window_scores(Recorder& r, StepInfo info, const std::string& q, const std::string& k,
                            const math::Window& window, double factor, const std::string& label,
                            const std::string& in_code) {
  const Tensor& Q = r.values(q);
  const Index d_head = Q.dim(3), pixels = window.pixels(), keys = window.keys();
  Tensor out = Tensor::uninitialized({Q.dim(0), Q.dim(1), pixels, keys});
  math::window_scores(r.compute(), Q.data(), r.values(k).data(), Q.dim(0) * Q.dim(1), window, d_head,
                      static_cast<float>(factor), out.data());
  info.code = code::window_scores(info.id, q, k, window, in_code, r.finite(q));
  return r.step(std::move(info), std::move(out), [=](Index cell) {
    const Index row = cell / keys, plane = row / pixels;
    const Index pixel = math::pixel_at_key(window, row % pixels, cell % keys);
    Explanation e;
    e.scale = factor;
    e.scale_label = label;
    if (pixel < 0) {
      e.terms = {{{Operand::constant(0, outside)}}};
      e.reason = "the key lies outside the picture, where keys are zeros";
      return e;
    }
    for (Index c = 0; c < d_head; ++c)
      e.terms.push_back({{Operand::of(q, row * d_head + c), Operand::of(k, (plane * pixels + pixel) * d_head + c)}});
    return e;
  });
}

const Tensor& hidden_outside(Recorder& r, StepInfo info, const std::string& scores, const math::Window& window) {
  const Tensor& S = r.values(scores);
  const Index pixels = window.pixels(), keys = window.keys();
  Tensor out = Tensor::uninitialized(S.shape());
  math::hide_outside(r.compute(), S.data(), S.dim(0) * S.dim(1), window, out.data());
  info.minus_infinity_masks = true;
  info.code = code::hidden_outside(info.id, scores, window);
  return r.step(std::move(info), std::move(out), [=](Index cell) {
    Explanation e;
    e.terms = {{{Operand::of(scores, cell)}}};
    if (math::pixel_at_key(window, cell / keys % pixels, cell % keys) >= 0) return e;
    e.terms = {{{Operand::constant(-std::numeric_limits<double>::infinity(), outside)}}};
    e.reason = "masked: the key lies outside the picture";
    return e;
  });
}

const Tensor& hidden_softmax(Recorder& r, StepInfo info, const std::string& scores, const math::Window& window) {
  const Tensor& S = r.values(scores);
  const Index pixels = window.pixels(), keys = window.keys();
  Tensor out = Tensor::uninitialized(S.shape());
  math::softmax(r.compute(), S.data(), S.size() / keys, keys, out.data());
  info.code = code::softmax(info.id, scores);
  return r.step(std::move(info), std::move(out), [=, softmax = explain::softmax(scores, keys)](Index cell) {
    Explanation e = softmax(cell);
    if (math::pixel_at_key(window, cell / keys % pixels, cell % keys) < 0)
      e.reason = "masked: the key lies outside the picture";
    return e;
  });
}

const Tensor& window_sum(Recorder& r, StepInfo info, const std::string& a, const std::string& v,
                         const math::Window& window, bool hidden) {
  const Tensor& V = r.values(v);
  const Index d_head = V.dim(3), pixels = window.pixels(), keys = window.keys();
  Tensor out = Tensor::uninitialized(V.shape());
  math::window_sum(r.compute(), r.values(a).data(), V.data(), V.dim(0) * V.dim(1), window, d_head, out.data());
  info.code = code::window_sum(info.id, a, v, window);
  return r.step(std::move(info), std::move(out), [=](Index cell) {
    const Index c = cell % d_head, row = cell / d_head, plane = row / pixels;
    Explanation e;
    Index absent = 0;
    for (Index key = 0; key < keys; ++key) {
      const Index pixel = math::pixel_at_key(window, row % pixels, key);
      if (pixel < 0) ++absent;
      if (pixel < 0 && hidden) continue;
      e.terms.push_back(
          {{Operand::of(a, row * keys + key),
            pixel < 0 ? Operand::constant(0, outside) : Operand::of(v, (plane * pixels + pixel) * d_head + c)}});
    }
    if (absent > 0)
      e.reason = fmt::format("{} of {} keys lie outside the picture{}", absent, keys,
                             hidden ? " and take no part" : ", where values are zeros");
    return e;
  });
}

double window_sum_operations(const math::Window& window, bool hidden) {
  const auto inside = static_cast<double>(window.most_inside());
  return hidden ? 2 * inside : inside + static_cast<double>(window.keys());
}

}  // namespace headlight::parts
