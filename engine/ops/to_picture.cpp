// Rows of positions back to a picture, signal or video, channels first.
#include "engine/math/math.h"
#include "engine/ops/picture_gradients.h"

namespace headlight::ops {

namespace {

constexpr double batch_norm_epsilon = 1e-5;  // PyTorch's default

// Whether the positions lie on axes of their own, and not on one that may be a single query's.
bool is_picture(const std::vector<Axis>& axes) {
  return axes.size() > 2 && axes[2].role != Role::query;
}

Index positions_of(const Shape& shape) {
  Index count = 1;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) count *= shape[axis];
  return count;
}

LatexFormula normalised(const std::string& mixed, const std::string& row, const BatchNorm& norm) {
  using notation::channel, notation::mark;
  return {.right = fmt::format("{}\\,\\frac{{u_{{{} c}} - {}}}{{\\sqrt{{{} + \\varepsilon}}}} + {}",
                               channel(norm.gamma), row, channel(norm.mean),
                               mark(norm.variance.id, norm.variance.symbol + "_c^2"), channel(norm.beta)),
          .below = fmt::format("u_{{{}}} = {}", row, mixed),
          .gap = "0.3em",
          .by_channel = true};
}

Code mixed_in_code(const Array& rows, const Array& w, const Array& b, const Shape& out, bool picture) {
  const auto code_in = [&](const char* library) {
    std::string mixed = fmt::format(R"({}.einsum("bne,ce->bcn", {}[:, 0], {}))", library, rows.id, w.id);
    if (b) mixed += fmt::format(" + {}[:, None]", b.id);
    if (b && picture) mixed = "(" + mixed + ")";
    return fmt::format("{{to}} = {}{}", mixed, picture ? ".reshape" + to_string(out) : "");
  };
  return {code_in("np"), code_in("torch")};
}

// The same by F.batch_norm and NumPy's helper, or written out: F.batch_norm has no derivative by its statistics.
Code normalised_in_code(const Code& mixed, const BatchNorm& norm) {
  const std::string &gamma = norm.gamma.id, &beta = norm.beta.id, &mean = norm.mean.id, &var = norm.variance.id;
  return {mixed.numpy + fmt::format("\n{{to}} = batch_norm({{to}}, {}, {}, {}, {})", gamma, beta, mean, var),
          mixed.torch + fmt::format("\n{{to}} = F.batch_norm({{to}}, {}, {}, {}, {})", mean, var, gamma, beta)};
}
std::string normalised_written_out(const Code& mixed, const BatchNorm& norm) {
  return mixed.torch +
         fmt::format("\n{{to}} = (({{to}}.movedim(1, -1) - {}) / ({} + {}) ** 0.5 * {} + {}).movedim(-1, 1)",
                     norm.mean.id, norm.variance.id, batch_norm_epsilon, norm.gamma.id, norm.beta.id);
}

// ∂L/∂ a picture, a row for each position.
Array gradient_as_rows(BackwardPass& pass, std::vector<Axis> axes) {
  return pass.helper("rows", "∂ rows", "\\partial L/\\partial u",
                     "What reaches the result, the channels of a position beside each other.",
                     channels_as_rows(pass.gradient(), std::move(axes)));
}

}  // namespace

Operation back_to_channels(const Array& rows, const Array& w, const Array& b, const BatchNorm* norm,
                           std::vector<Axis> axes) {
  const Shape out = shape_of(axes);
  const Index n = positions_of(out), width = rows.dim(3);
  const std::string mixed = fmt::format("{}\\,{}{}", notation::written(w), notation::written(rows), notation::plus(b));
  const Code code = mixed_in_code(rows, w, b, out, is_picture(axes));
  const BatchNorm statistics = norm ? *norm : BatchNorm{};
  Operation op = {
      .axes = std::move(axes),
      .run =
          [rows = rows.values, w = w.values, b = b.values, statistics, out, n, width](Compute& compute, float* to) {
            Tensor mixed_rows = Tensor::uninitialized({out[0], n, out[1]});
            math::pointwise(compute, rows->data(), w->data(), b ? b->data() : nullptr, out[0] * n, width, out[1],
                            mixed_rows.data());
            math::transpose(compute, mixed_rows.data(), out[0], n, out[1], to);
            if (statistics.gamma)
              math::batch_norm(compute, to, statistics.gamma.data(), statistics.beta.data(), statistics.mean.data(),
                               statistics.variance.data(), batch_norm_epsilon, out[0], out[1], n, to);
          },
      .explain =
          [rows = rows.id, w = w.id, b = b.id, statistics, out, n, width](Index cell) {
            const Index i = cell % n, c = cell / n % out[1], batch = cell / (n * out[1]);
            Explanation e{.terms = product_terms(width, {w, c * width}, {rows, (batch * n + i) * width})};
            if (!b.empty()) e.terms.push_back({{Operand::of(b, c)}});
            if (!statistics.gamma) return e;
            e.combine = Combine::batch_norm;
            e.epsilon = batch_norm_epsilon;
            for (const Array* each : {&statistics.gamma, &statistics.beta, &statistics.mean, &statistics.variance})
              e.parameters.push_back(Operand::of(each->id, c));
            return e;
          },
      .code = code,
      .formula = norm ? normalised(mixed, rows.axis_at(2).index, *norm) : LatexFormula{mixed},
      .operations =
          linear_operations(width, static_cast<bool>(b)) + (norm ? rule_of(Combine::batch_norm).operations : 0),
      .role = Role::output};
  op.backward = [rows = rows.id, w = w.id, b = b.id](BackwardPass& pass) {
    const Array &read = pass.array(rows), &weights = pass.array(w);
    const Array g = gradient_as_rows(pass, {read.axis_at(0), read.axis_at(1), read.axis_at(2), weights.axis_at(0)});
    pass.add(rows, linear(g, weights));
    pass.add(w, products_of_rows(g, read, weights));
    if (!b.empty()) pass.add(b, sum_to_size(g, pass.array(b)));
  };
  if (!norm) return op;
  op.code = normalised_in_code(code, *norm);
  op.backward = [explain = op.explain, code = normalised_written_out(code, *norm),
                 reads = std::vector{rows.id, w.id, b.id, norm->gamma.id, norm->beta.id, norm->mean.id,
                                     norm->variance.id}](BackwardPass& pass) {
    by_explanation(pass, {explain, code, reads});
  };
  return op;
}

Operation linear_to_picture(const Array& rows, const Array& w, const Array& b, std::vector<Axis> axes) {
  const Shape out = shape_of(axes);
  const Index n = positions_of(out), width = rows.dim(2);
  const std::string mixed = fmt::format("({} @ {}{})", rows.id, w.id, b ? " + " + b.id : std::string());
  const std::string reshaped = is_picture(axes) ? ".reshape" + to_string(out) : std::string();
  return {.axes = std::move(axes),
          .run =
              [rows = rows.values, w = w.values, b = b.values, out, n, width](Compute& compute, float* to) {
                Tensor mixed_rows = Tensor::uninitialized({out[0], n, out[1]});
                math::linear(compute, rows->data(), w->data(), b ? b->data() : nullptr, out[0] * n, width, out[1],
                             false, mixed_rows.data());
                math::transpose(compute, mixed_rows.data(), out[0], n, out[1], to);
              },
          .explain =
              [rows = rows.id, w = w.id, b = b.id, out, n, width](Index cell) {
                const Index i = cell % n, o = cell / n % out[1], batch = cell / (n * out[1]);
                Explanation e{.terms = product_terms(width, {rows, (batch * n + i) * width}, {w, o, out[1]})};
                if (!b.empty()) e.terms.push_back({{Operand::of(b, o)}});
                return e;
              },
          .code = {mixed + ".swapaxes(1, 2)" + reshaped, mixed + ".transpose(1, 2)" + reshaped},
          .formula = {fmt::format("{}\\,{}{}", notation::written(rows), notation::written(w), notation::plus(b))},
          .operations = linear_operations(width, static_cast<bool>(b)),
          .role = Role::output,
          .backward =
              [rows = rows.id, w = w.id, b = b.id](BackwardPass& pass) {
                const Array &read = pass.array(rows), &weights = pass.array(w);
                const Array g = gradient_as_rows(pass, {read.axis_at(0), read.axis_at(1), weights.axis_at(1)});
                pass.add(rows, linear_back(g, weights, read));
                pass.add(w, products_of_rows(read, g, weights));
                if (!b.empty()) pass.add(b, sum_to_size(g, pass.array(b)));
              }};
}

Operation heads_as_channels(const Array& heads, std::vector<Axis> axes) {
  const Shape in = heads.shape();
  const std::string reshaped = ".reshape" + to_string(shape_of(axes));
  Operation op = concatenation(heads, axes[1]);
  op.backward = [heads = heads.id](BackwardPass& pass) {
    pass.add(heads, channels_as_rows(pass.gradient(), pass.array(heads).axes));
  };
  op.axes = std::move(axes);
  op.run = [heads = heads.values, in](Compute& compute, float* to) {
    math::transpose(compute, heads->data(), in[0] * in[1], in[2], in[3], to);
  };
  op.explain = [heads = heads.id, in](Index cell) {
    const Index position = cell % in[2], channel = cell / in[2] % in[3], plane = cell / (in[2] * in[3]);  // b · M + m
    return Explanation{.terms = {{{Operand::of(heads, (plane * in[2] + position) * in[3] + channel)}}}};
  };
  op.code = {fmt::format("np.moveaxis({}, 3, 2){}", heads.id, reshaped),
             fmt::format("{}.transpose(2, 3){}", heads.id, reshaped)};
  return op;
}

}  // namespace headlight::ops
