#include <cmath>

#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// What a rule hides, of rank 4, in NumPy and in PyTorch.
std::vector<Code> hidden_of(const MaskRules& rules) {
  std::vector<Code> hidden;
  if (rules.causal)
    hidden.push_back({fmt::format("np.triu(np.ones(({}, {}), dtype=bool), {})[None, None]", rules.queries, rules.keys,
                                  rules.first_query + 1),
                      fmt::format("torch.ones({}, {}, dtype=torch.bool).triu({})[None, None]", rules.queries,
                                  rules.keys, rules.first_query + 1)});
  if (rules.valid_lens) {
    const char* place = rules.valid_lens->rank() == 1 ? ":, None, None, None" : ":, None, :, None";
    hidden.push_back({fmt::format("np.arange({}) >= valid_lens[{}]", rules.keys, place),
                      fmt::format("torch.arange({}) >= valid_lens[{}]", rules.keys, place)});
  }
  if (rules.key_padding_mask) hidden.push_back(both("key_padding_mask[:, None, None, :] == 1"));
  return hidden;
}

Code code_of(const MaskRules& rules) {
  std::string added = "0.0";
  if (rules.attn_mask) added = rules.attn_mask->rank() == 2 ? "attn_mask[None, None]" : "attn_mask";
  const auto hidden = hidden_of(rules);
  if (hidden.empty()) return both(added);
  Code lines;
  for (const auto& [numpy, torch] : hidden) {
    const char* start = lines.numpy.empty() ? "hidden = {}\n" : "hidden = hidden | ({})\n";
    lines.numpy += fmt::format(fmt::runtime(start), numpy);
    lines.torch += fmt::format(fmt::runtime(start), torch);
  }
  lines.numpy += fmt::format("{{to}} = np.where(hidden, -np.inf, {})", added);
  lines.torch += fmt::format(R"({{to}} = torch.where(hidden, float("-inf"), {}))", added);
  return lines;
}

// scores + mask = M, and what M holds.
LatexFormula formula_of(const Array& scores, const Array& mask, const MaskRules& rules) {
  using notation::mark, notation::written;
  const std::string sum = fmt::format("{} + {}", written(scores), written(mask));
  if (!rules.attn_mask)
    return {
        .right = sum, .aside = fmt::format("\\qquad {} \\in \\{{0, -\\infty\\}}", written(mask)), .definition = sum};
  Array added = mask;
  added.id = "attn_mask";
  added.symbol = "A";
  return {.right = sum,
          .below = fmt::format("{} = \\begin{{cases}} {} & \\text{{where visible}} \\\\ -\\infty & \\text{{where "
                               "hidden}} \\end{{cases}}",
                               written(mask), written(added)),
          .definition = sum};
}

// The same where the mask was edited: what it holds counts, whatever the rules say.
Explain explain_sum_with(const Array& scores, const Array& mask) {
  return [=, scores = scores.id, shape = scores.shape(), mask = mask.id, extents = mask.shape(),
          values = mask.values](Index cell) {
    auto at = index_at_flat(shape, cell);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      if (extents[axis] == 1) at[axis] = 0;
    const Index added = flat_at_index(extents, at);
    Explanation e;
    if (std::isinf((*values)[added]) && (*values)[added] < 0)
      e.reason = "masked: the mask is −∞ here";
    else
      e.terms.push_back({{Operand::of(scores, cell)}});
    e.terms.push_back({{Operand::of(mask, added)}});
    return e;
  };
}

}  // namespace

Operation mask(const MaskRules& rules, const Array& map) {
  const Shape extents = mask_shape(rules);
  std::vector<Axis> axes = map.axes;
  for (std::size_t i = 0; i < 3; ++i)
    if (extents[i] != axes[i].size)
      axes[i] = Axis{.symbol = "1", .name = axes[i].name, .size = 1, .role = axes[i].role, .index = axes[i].index};
  return {.axes = std::move(axes),
          .run = [rules](Compute& compute, float* to) { combine_masks(rules, compute, to); },
          .explain = explain_mask(rules),
          .code = code_of(rules),
          .formula = {},
          .operations = 1,
          .kind = Kind::mask,
          .role = Role::mask,
          .minus_infinity_masks = true};
}

Operation masked(const Array& scores, const Array& mask, const MaskRules& rules) {
  const Code sum =
      scores.finite
          ? both(fmt::format("{} + {}", scores.id, mask.id))
          : Code{fmt::format("np.where({1} == -np.inf, -np.inf, {0} + {1})", scores.id, mask.id),
                 fmt::format(R"(({0} + {1}).masked_fill({1} == float("-inf"), float("-inf")))", scores.id, mask.id)};
  return {.axes = scores.axes,
          .run = [s = scores.values, m = mask.values](
                     Compute& compute,
                     float* to) { math::add_mask(compute, s->data(), s->shape(), m->data(), m->shape(), to); },
          .explain = mask.edited ? explain_sum_with(scores, mask) : explain_masked_scores(rules, scores.id),
          .code = sum,
          .formula = formula_of(scores, mask, rules),
          .operations = 2,
          .kind = Kind::score,
          .role = Role::score,
          .minus_infinity_masks = true};
}

}  // namespace headlight::ops
