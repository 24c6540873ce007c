#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/math/seen_rows.h"
#include "engine/ops/ops.h"
#include "engine/trace/thresholds.h"

namespace headlight::ops {

namespace {

constexpr const char* no_visible_key = "no key is visible: the row's weights are 0 by definition";

bool is_hidden(const Tensor& scores, Index cell) {
  return scores[cell] == -std::numeric_limits<float>::infinity();
}

// Whether the row of n that the cell lies in is −∞ alone.
bool is_blind(const Tensor& scores, Index cell, Index n) {
  for (Index j = 0; j < n; ++j)
    if (!is_hidden(scores, cell / n * n + j)) return false;
  return true;
}

// exp(s − m) / Σ exp(s − m), with m the row's maximum; under it what m is, and what s was made as.
LatexFormula formula_of(const Array& scores) {
  using notation::written;
  const std::string here = written(scores), other = notation::at_other_key(scores);
  const std::string over = notation::over_keys(scores, true), row = scores.axis_at(-2).index;
  const std::string most = fmt::format("m_{{{}}}", row);
  const bool defined = !scores.definition.empty() && !scores.axis_at(-1).window;
  return {
      .right = fmt::format("\\frac{{\\exp({} - {})}}{{\\sum_{{{}}} \\exp({} - {})}}", here, most, over, other, most),
      .below = (defined ? fmt::format("{} = {} \\quad ", here, scores.definition) : std::string()) +
               fmt::format("{} = \\max_{{{}}} {}", most, over, other)};
}

// The weight of one key of a row of n beside the others.
Explain explained(const Array& scores, Index n, Combine combine) {
  return [scores = scores.id, n, combine, values = scores.edited ? scores.values : nullptr](Index cell) {
    Explanation e;
    e.combine = combine;
    e.self = cell % n;
    for (Index j = 0; j < n; ++j) e.terms.push_back({{Operand::of(scores, cell / n * n + j)}});
    if (values && is_hidden(*values, cell))
      e.reason = is_blind(*values, cell, n) ? no_visible_key : "the key's score is −∞";
    return e;
  };
}

// ∂L/∂s = a ⊙ (g − Σ a g), of a softmax with a sink, too. Gives the sums.
Array softmax_back(BackwardPass& pass, const std::string& scores) {
  const Array& a = pass.result();
  const Array of_row = pass.helper(
      "row", "Row's ∂ · weights", "\\delta",
      "What L would gain if all weights of the row grew in the ratio that they have. They cannot: a row adds "
      "up to 1, so this much is taken from each of its gradients.",
      row_products(a, pass.gradient()));
  pass.add(scores, softmax_gradient(a, pass.gradient(), of_row));
  return of_row;
}

}  // namespace

Operation softmax(const Array& scores) {
  const Index n = scores.dim(-1);
  return {.axes = scores.axes,
          .rows = {scores.id,
                   [s = scores.values, seen = scores.seen, n](Index begin, Index end, float* to) {
                     if (seen)
                       math::softmax(s->data(), *seen, begin, end, n, to);
                     else
                       math::softmax(s->data(), begin, end, n, to);
                   }},
          .explain = explained(scores, n, Combine::softmax),
          .code = scores.edited ? both(fmt::format("masked_softmax({})", scores.id))  // a row may be −∞ alone
                                : Code{fmt::format("softmax({})", scores.id),
                                       fmt::format("torch.softmax({}, dim=-1)", scores.id)},
          .formula = formula_of(scores),
          .operations = rule_of(Combine::softmax).operations,
          .kind = Kind::probability,
          .role = Role::weight,
          .seen = scores.seen,
          .backward = [scores = scores.id](BackwardPass& pass) { softmax_back(pass, scores); }};
}

Operation masked_softmax(const MaskedScores& masked) {
  Operation op = with_mask_reasons(softmax(masked.scores), masked);
  if (!op.warning.empty()) op.code = both(fmt::format("masked_softmax({})", masked.scores.id));
  return op;
}

Operation with_mask_reasons(Operation weights, const MaskedScores& masked) {
  const auto& [scores, mask, rules] = masked;
  if (!mask) return weights;
  weights.explain = [rules = rules, shape = scores.shape(), explain = std::move(weights.explain),
                     edited = scores.edited || mask.edited ? scores.values : nullptr](Index cell) {
    Explanation e = explain(cell);
    if (edited && (!is_hidden(*edited, cell) || is_blind(*edited, cell, shape[3]))) return e;
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    const auto hidden = [&](Index key) { return hidden_by(rules, at[0], at[1], at[2], key); };
    if (const std::string reason = hidden(at[3]); !reason.empty()) {
      Index visible = 0;
      while (visible < shape[3] && !hidden(visible).empty()) ++visible;
      e.reason = visible < shape[3] ? "masked by " + reason : no_visible_key;
    }
    return e;
  };
  if (mask.values) weights.warning = mask_warning(rules, *mask.values);
  return weights;
}

Operation softmax_with_sink(const Array& scores, const Array& sinks) {
  const Index n = scores.dim(-1), plane = n * scores.dim(-2), maps = scores.dim(1);
  const auto sink_of = [plane, maps, heads = sinks.size()](Index cell) { return cell / plane % maps * heads / maps; };
  Operation op = softmax(scores);
  op.backward = [scores = scores.id, sinks = sinks.id](BackwardPass& pass) {
    const Array of_row = softmax_back(pass, scores);
    pass.add(sinks, sink_gradient(pass.helper("sink", "Weight of the sink", "a_0", "What the sink took of each row.",
                                              sink_weights(pass.result())),
                                  of_row, pass.array(sinks)));
  };
  // A softmax's largest weight is 1 / Σ exp(s − m): the sum with the sink in it is that many times larger.
  op.run = [s = scores.values, b = sinks.values, n, sink_of](Compute& compute, float* to) {
    math::softmax(compute, s->data(), s->size() / n, n, to);
    compute.parallel_each(s->size() / n, 64, [&](Index row) {
      const float* from = s->data() + row * n;
      const auto at = std::max_element(from, from + n) - from;
      const double sink = (*b)[sink_of(row * n)], beside = std::exp(sink - from[at]);
      if (std::isinf(from[at])) return;
      const auto share = static_cast<float>(1 / (1 + to[row * n + at] * beside));
      for (Index j = 0; j < n; ++j) to[row * n + j] *= share;
    });
  };
  op.explain = [explain = explained(scores, n, Combine::softmax_sink), sinks = sinks.id, sink_of](Index cell) {
    Explanation e = explain(cell);
    e.parameters = {Operand::of(sinks, sink_of(cell))};
    return e;
  };
  op.code = both(fmt::format("softmax_with_sink({}, {})", scores.id, sinks.id));
  using notation::written;
  const std::string here = written(scores), other = notation::at_other_key(scores), row = scores.axis_at(-2).index,
                    over = notation::over_keys(scores, true), most = fmt::format("m_{{{}}}", row);
  op.formula.right = fmt::format("\\frac{{\\exp({0} - {1})}}{{\\exp({2} - {1}) + \\sum_{{{3}}} \\exp({4} - {1})}}",
                                 here, most, written(sinks), over, other);
  op.formula.below = fmt::format("{} = \\max\\bigl({}, \\max_{{{}}} {}\\bigr)", most, written(sinks), over, other);
  op.operations = rule_of(Combine::softmax_sink).operations;
  return op;
}

Operation sink_weights(const Array& weights) {
  const Index n = weights.dim(-1);
  std::vector<Axis> axes = weights.axes;
  axes.back() = Axis{.symbol = "1", .name = "sink", .size = 1};
  const auto code_in = [&](const char* axis) { return fmt::format("1 - {}.sum({})", weights.id, axis); };
  return {.axes = std::move(axes),
          .run =
              [w = weights.values, n](Compute& compute, float* to) {
                compute.parallel_each(w->size() / n, 256, [&](Index row) {
                  double rest = 1;
                  for (Index j = 0; j < n; ++j) rest -= (*w)[row * n + j];
                  to[row] = static_cast<float>(rest);
                });
              },
          .explain =
              [w = weights.id, n](Index row) {
                Explanation e;
                e.terms = {{{Operand::constant(1, "the whole")}}};
                for (Index j = 0; j < n; ++j)
                  e.terms.push_back({{Operand::constant(-1, "taken off"), Operand::of(w, row * n + j)}});
                return e;
              },
          .code = {code_in("axis=-1, keepdims=True"), code_in("dim=-1, keepdim=True")},
          .formula = {fmt::format("1 - \\sum_{{{}}} {}", notation::over_keys(weights), notation::written(weights))},
          .operations = static_cast<double>(n),
          .kind = Kind::probability,
          .role = Role::weight};
}

Operation sigmoid(const Array& scores, const Factor& bias) {
  Operation op = softmax(scores);
  op.backward = {};
  op.run = [s = scores.values, bias = static_cast<float>(bias.value)](Compute& compute, float* to) {
    compute.parallel_each(s->size(), 4096, [&](Index i) { to[i] = 1 / (1 + std::exp(-((*s)[i] + bias))); });
  };
  op.explain = [scores = scores.id, bias, values = scores.edited ? scores.values : nullptr](Index cell) {
    Explanation e;
    e.combine = Combine::sigmoid;
    e.terms = {{{Operand::of(scores, cell)}}, {{Operand::constant(bias.value, bias.label)}}};
    if (values && is_hidden(*values, cell)) e.reason = "the key's score is −∞";
    return e;
  };
  op.code = {fmt::format("1 / (1 + np.exp(-({} {})))", scores.id, bias.in_code),
             fmt::format("torch.sigmoid({} {})", scores.id, bias.in_code)};
  op.formula = {.right = fmt::format("\\frac{{1}}{{1 + \\exp(-{} - b)}}", notation::written(scores)),
                .below = fmt::format("b = {}", bias.right)};
  op.operations = 1;
  return op;
}

namespace {

// What of each score is above its row's threshold.
Operation above_threshold(const Array& scores, Combine combine, void (*of_row)(std::span<const float>, float*)) {
  const Index n = scores.dim(-1);
  Operation op = softmax(scores);
  op.backward = [scores = scores.id, root = rule_of(combine).halved_and_squared](BackwardPass& pass) {
    pass.add(scores, threshold_gradient(pass.result(), pass.gradient(), root));
  };
  op.rows.run = [s = scores.values, n, of_row](Index begin, Index end, float* to) {
    for (Index row = begin; row < end; ++row) of_row({s->data() + row * n, static_cast<std::size_t>(n)}, to + row * n);
  };
  op.explain = explained(scores, n, combine);
  op.operations = rule_of(combine).operations;
  return op;
}

// max(0, s − τ), and under it what τ is.
LatexFormula formula_above(const Array& scores, const char* half, const char* power) {
  const std::string threshold = fmt::format("\\tau_{{{}}}", scores.axis_at(-2).index);
  const auto above = [&](const std::string& score) {
    return fmt::format("\\max\\bigl(0, {}{} - {}\\bigr){}", half, score, threshold, power);
  };
  return {.right = above(notation::written(scores)),
          .below = fmt::format("{} \\text{{ so that }} \\sum_{{{}}} {} = 1", threshold,
                               notation::over_keys(scores, true), above(notation::at_other_key(scores)))};
}

}  // namespace

Operation sparsemax(const Array& scores) {
  Operation op = above_threshold(scores, Combine::sparsemax, headlight::sparsemax);
  op.code = both(fmt::format("sparsemax({})", scores.id));
  op.formula = formula_above(scores, "", "");
  return op;
}

Operation entmax15(const Array& scores) {
  Operation op = above_threshold(scores, Combine::entmax15, headlight::entmax15);
  op.code = both(fmt::format("entmax15({})", scores.id));
  op.formula = formula_above(scores, "\\tfrac{1}{2} ", "^2");
  return op;
}

}  // namespace headlight::ops
