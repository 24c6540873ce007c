#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/math/seen_rows.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

// Where a rule applies, of rank 4.
Code rank_4_code(const MaskRule& rule) {
  const bool placed = rule.by_batch || rule.by_head || !rule.by_place;
  const char* axes = "";
  if (!placed) axes = rule.by_query ? "[None, None]" : "[None, None, None]";
  return {fmt::format("({}){}", rule.code.numpy, axes), fmt::format("({}){}", rule.code.torch, axes)};
}

// Lines that set `name` to where any rule of that part applies; none where there is no such rule.
Code any_of(const MaskRules& rules, MaskRule::Part part, const char* name) {
  Code lines;
  for (const MaskRule& rule : rules.list) {
    if (rule.part != part) continue;
    const Code where = rank_4_code(rule);
    const char* form = lines.numpy.empty() ? "{0} = {1}\n" : "{0} = {0} | {1}\n";
    lines.numpy += fmt::format(fmt::runtime(form), name, where.numpy);
    lines.torch += fmt::format(fmt::runtime(form), name, where.torch);
  }
  return lines;
}

Code operator+(Code a, const Code& b) {
  return {a.numpy + b.numpy, a.torch + b.torch};
}

Code code_of(const MaskRules& rules) {
  using Part = MaskRule::Part;
  std::string added = "0.0";
  if (rules.attn_mask) added = rules.attn_mask->rank() == 2 ? "attn_mask[None, None]" : "attn_mask";
  const Index each = rules.attn_mask && rules.attn_mask->rank() == 4 ? rules.heads / rules.attn_mask->dim(1) : 1;
  const bool repeated = each > 1 && rules.attn_mask->dim(1) > 1;  // consecutive maps belong to one head
  Code addend = both(added);
  if (repeated)
    addend = {fmt::format("np.repeat({}, {}, axis=1)", added, each),
              fmt::format("{}.repeat_interleave({}, dim=1)", added, each)};
  const Code hides = any_of(rules, Part::hides, "hidden"), reach = any_of(rules, Part::reach, "far"),
             allows = any_of(rules, Part::allows, "let_in");
  const auto zeros = [&](const char* library) {
    return rules.painted ? fmt::format("{}.zeros(({})) + ", library, fmt::join(mask_shape(rules), ", ")) : "";
  };
  if (hides.numpy.empty() && reach.numpy.empty()) return {zeros("np") + addend.numpy, zeros("torch") + addend.torch};
  const auto places = [&](const char* library) {
    return fmt::format("i = {0}.arange({1}, {2})[:, None]\nj = {0}.arange({3})\n", library, rules.first_query,
                       rules.first_query + rules.queries, rules.keys);
  };
  const bool by_place = std::ranges::any_of(rules.list, &MaskRule::by_place);
  Code lines = (by_place ? Code{places("np"), places("torch")} : Code{}) + hides;
  if (!reach.numpy.empty()) {
    lines = lines + reach;
    if (!allows.numpy.empty()) lines = lines + allows + both("far = far & ~let_in\n");
    lines = lines + both(hides.numpy.empty() ? "hidden = far\n" : "hidden = hidden | far\n");
  }
  lines.numpy += fmt::format("{{to}} = {}np.where(hidden, -np.inf, {})", zeros("np"), addend.numpy);
  lines.torch += fmt::format(R"({{to}} = {}torch.where(hidden, float("-inf"), {}))", zeros("torch"), addend.torch);
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
    const Index added = mask_cell(extents, index_at_flat(shape, cell));
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

Operation mask(const MaskRules& rules, std::vector<Axis> axes) {
  const Shape extents = mask_shape(rules);
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
          .minus_infinity_masks = true,
          .rules = std::make_shared<const MaskRules>(rules)};
}

Operation add_mask(const Array& scores, const Array& mask, const MaskRules& rules) {
  const Code broken = {
      fmt::format("np.where({1} == -np.inf, -np.inf, {0} + {1})", scores.id, mask.id),
      fmt::format(R"(({0} + {1}).masked_fill({1} == float("-inf"), float("-inf")))", scores.id, mask.id)};
  const auto seen = mask.values ? std::make_shared<const math::VisibleBlocks>(*mask.values, scores.shape()) : nullptr;
  return {
      .axes = scores.axes,
      .rows = {scores.id,
               [s = scores.values, m = mask.values, seen](Index begin, Index end, float* to) {
                 math::add_mask(s->data(), s->shape(), *m, *seen, begin, end, to);
               },
               broken},
      .explain = mask.edited ? explain_sum_with(scores, mask) : explain_masked_scores(rules, scores.id),
      .code = both(fmt::format("{} + {}", scores.id, mask.id)),
      .formula = formula_of(scores, mask, rules),
      .operations = 2,
      .kind = Kind::score,
      .role = Role::score,
      .minus_infinity_masks = true,
      .seen = seen,
      .backward = [scores = scores.id, mask = mask.id, from_array = rules.attn_mask != nullptr](BackwardPass& pass) {
        const Array &g = pass.gradient(), &m = pass.array(mask);
        pass.add(scores, pass_where_visible(g, m));
        if (from_array) pass.add(mask, sum_to_size(g, m));
      }};
}

Operation masked_after_softmax(const Array& weights, const Array& mask, const MaskRules& rules) {
  const auto hides = [values = mask.values, shape = weights.shape(), extents = mask.shape()](Index cell) {
    const float added = (*values)[mask_cell(extents, index_at_flat(shape, cell))];
    return std::isinf(added) && added < 0;
  };
  const std::string hidden = fmt::format("{} == -np.inf", mask.id);
  return {.axes = weights.axes,
          .run =
              [w = weights.values, hides](Compute& compute, float* to) {
                compute.parallel_each(w->size(), 4096, [&](Index cell) { to[cell] = hides(cell) ? 0 : (*w)[cell]; });
              },
          .explain =
              [rules, hides, weights = weights.id, shape = weights.shape()](Index cell) {
                Explanation e;
                if (!hides(cell)) {
                  e.terms = {{{Operand::of(weights, cell)}}};
                  return e;
                }
                const auto at = index_at_flat(shape, cell);  // b, m, i, j
                const std::string by = hidden_by(rules, at[0], at[1], at[2], at[3]);
                e.terms = {{{Operand::constant(0, "hidden after the softmax")}}};
                e.reason = by.empty() ? "masked: the mask is −∞ here" : "masked by " + by;
                return e;
              },
          .code = {fmt::format("np.where({}, 0.0, {})", hidden, weights.id),
                   fmt::format(R"({}.masked_fill({} == float("-inf"), 0.0))", weights.id, mask.id)},
          .formula = {.right = fmt::format("\\begin{{cases}} {} & \\text{{where visible}} \\\\ 0 & \\text{{where "
                                           "hidden}} \\end{{cases}}",
                                           notation::written(weights))},
          .operations = 1,
          .kind = weights.kind,
          .role = weights.role};
}

}  // namespace headlight::ops
