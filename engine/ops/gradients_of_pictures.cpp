// Gradients of what takes positions out of pictures and puts them back: products of matrices, channels first.
#include <algorithm>
#include <utility>

#include "engine/math/math.h"
#include "engine/ops/picture_gradients.h"

namespace headlight::ops {

namespace {

using notation::written;

// x (B, C, N) as (C, B·N), times rows (B·N, width) → (C, width).
std::vector<float> channels_times_rows(Compute& compute, const Tensor& x, Index channels, const float* rows,
                                       Index width) {
  const Index batches = x.dim(0), n = x.size() / (batches * channels);
  std::vector<float> together;
  if (batches > 1) {
    together.resize(static_cast<std::size_t>(x.size()));
    for (Index b = 0; b < batches; ++b)
      for (Index c = 0; c < channels; ++c)
        std::copy_n(x.data() + (b * channels + c) * n, n, together.data() + (c * batches + b) * n);
  }
  std::vector<float> made(static_cast<std::size_t>(channels * width));
  math::linear(compute, batches > 1 ? together.data() : x.data(), rows, nullptr, channels, batches * n, width, false,
               made.data());
  return made;
}

}  // namespace

Array rows_like(const Positions& x) {
  Array rows;
  rows.axes = {x.x().axis_at(0), Axis{.symbol = "N", .name = "position", .size = x.count()}, x.x().axis_at(1)};
  return rows;
}

Operation back_to_positions(Operation rows, const Array& like) {
  const Index batches = like.dim(0), channels = like.dim(1), n = like.size() / (batches * channels);
  Operation op = std::move(rows);
  op.axes = like.axes;
  op.run = [run = std::move(op.run), batches, channels, n](Compute& compute, float* to) {
    std::vector<float> made(static_cast<std::size_t>(batches * n * channels));
    run(compute, made.data());
    math::transpose(compute, made.data(), batches, n, channels, to);
  };
  op.explain = [explain = std::move(op.explain), channels, n](Index cell) {
    const Index i = cell % n, c = cell / n % channels, b = cell / (n * channels);
    return explain((b * n + i) * channels + c);
  };
  for (std::string* line : {&op.code.numpy, &op.code.torch})
    *line = fmt::format("({}).swapaxes(-2, -1).reshape{}", *line, to_string(like.shape()));
  return op;
}

Operation channels_as_rows(const Array& g, std::vector<Axis> axes) {
  Shape shape = shape_of(axes);
  const Index channels = shape.back(), n = shape[shape.size() - 2], planes = g.size() / (n * channels);
  std::swap(shape.back(), shape[shape.size() - 2]);
  return {.axes = std::move(axes),
          .run = [g = g.values, planes, channels, n](
                     Compute& compute, float* to) { math::transpose(compute, g->data(), planes, channels, n, to); },
          .explain =
              [g = g.id, channels, n](Index cell) {
                const Index c = cell % channels, i = cell / channels % n, plane = cell / (channels * n);
                return Explanation{.terms = {{{Operand::of(g, (plane * channels + c) * n + i)}}}};
              },
          .code = both(fmt::format("{}.reshape{}.swapaxes(-2, -1)", g.id, to_string(shape))),
          .formula = {written(g)},
          .operations = 1};
}

Operation products_of_positions(const Positions& x, const Array& g, const Array& like) {
  const bool is_transposed = like.axes.size() == 2;
  const Index batches = g.dim(0), heads = g.dim(1), n = g.dim(2), d = g.dim(3), channels = x.channels();
  const Code read = x.code(Axis{.symbol = {}, .name = {}, .size = x.count()});
  const auto code_in = [&](const char* library, const std::string& rows) {
    return fmt::format(R"({}.einsum("bcn,bmne->{}", {}, {}))", library, is_transposed ? "ec" : "mce", rows, g.id);
  };
  return {.axes = like.axes,
          .run =
              [=, x = x.x().values, g = g.values](Compute& compute, float* to) {
                std::vector<float> rows(static_cast<std::size_t>(g->size()));  // (B·N, M·d')
                math::concat_heads(compute, g->data(), batches, heads, n, d, rows.data());
                const auto made = channels_times_rows(compute, *x, channels, rows.data(), heads * d);
                if (is_transposed) return math::transpose(compute, made.data(), 1, channels, heads * d, to);
                for (Index t = 0; t < channels; ++t)
                  for (Index m = 0; m < heads; ++m)
                    std::copy_n(made.data() + (t * heads + m) * d, d, to + (m * channels + t) * d);
              },
          .explain =
              [=, x = x.cells(), g = g.id](Index cell) {
                const Index c = is_transposed ? cell / channels : cell % d,
                            t = is_transposed ? cell % channels : cell / d % channels;
                const Index m = is_transposed ? 0 : cell / (d * channels);
                return Explanation{
                    .terms = terms_of(batches * n, [&](Index row) {
                      const Index b = row / n, i = row % n;
                      return Term{{Operand::of(x.x, x.at(b, t, i)), Operand::of(g, ((b * heads + m) * n + i) * d + c)}};
                    })};
              },
          .code = {code_in("np", read.numpy), code_in("torch", read.torch)},
          .formula = {fmt::format("\\sum {}^{{\\top}}\\,{}", written(x.x()), written(g))},
          .operations = linear_operations(batches * n, false)};
}

}  // namespace headlight::ops
