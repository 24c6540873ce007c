#include <limits>

#include "engine/math/math.h"
#include "engine/ops/ops.h"

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

}  // namespace

Operation softmax(const Array& scores) {
  const Index n = scores.dim(-1);
  return {.axes = scores.axes,
          .run = [s = scores.values, n](Compute& compute,
                                        float* to) { math::softmax(compute, s->data(), s->size() / n, n, to); },
          .explain =
              [scores = scores.id, n, values = scores.edited ? scores.values : nullptr](Index cell) {
                Explanation e;
                e.combine = Combine::softmax;
                e.self = cell % n;
                for (Index j = 0; j < n; ++j) e.terms.push_back({{Operand::of(scores, cell / n * n + j)}});
                if (values && is_hidden(*values, cell))
                  e.reason = is_blind(*values, cell, n) ? no_visible_key : "the key's score is −∞";
                return e;
              },
          .code = scores.edited ? both(fmt::format("masked_softmax({})", scores.id))  // a row may be −∞ alone
                                : Code{fmt::format("softmax({})", scores.id),
                                       fmt::format("torch.softmax({}, dim=-1)", scores.id)},
          .formula = formula_of(scores),
          .operations = rule_of(Combine::softmax).operations,
          .kind = Kind::probability,
          .role = Role::weight};
}

Operation masked_softmax(const Array& scores, const Array& mask, const MaskRules& rules) {
  Operation op = softmax(scores);
  op.explain = [rules, shape = scores.shape(), softmax = std::move(op.explain),
                edited = scores.edited || mask.edited ? scores.values : nullptr](Index cell) {
    Explanation e = softmax(cell);
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
  if (mask.values) op.warning = blind_rows_warning(rules, *mask.values);
  if (!op.warning.empty()) op.code = both(fmt::format("masked_softmax({})", scores.id));
  return op;
}

}  // namespace headlight::ops
