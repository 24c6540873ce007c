#include "engine/ops/attention_mask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "engine/math/masked.h"

namespace headlight {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Flat cell of attn_mask, whose batch and head axes may be missing or 1.
Index attn_mask_cell(const MaskRules& rules, Index batch, Index head, Index query, Index key) {
  const Tensor& mask = *rules.attn_mask;
  Index plane = 0;
  if (mask.rank() == 4) plane = (mask.dim(0) == 1 ? 0 : batch) * mask.dim(1) + head * mask.dim(1) / rules.heads;
  return (plane * rules.queries + query) * rules.keys + key;
}

}  // namespace

MaskCell cell_of(const MaskRules& rules, Index batch, Index head, Index query, Index key) {
  return {batch, head, query, key, rules.first_query + query};
}

const MaskRule* allowing_rule(const MaskRules& rules, const MaskCell& cell) {
  for (const MaskRule& rule : rules.list)
    if (rule.part == MaskRule::Part::allows && rule.applies(cell)) return &rule;
  return nullptr;
}

float added_by_attn_mask(const MaskRules& rules, const MaskCell& cell) {
  return rules.attn_mask ? (*rules.attn_mask)[attn_mask_cell(rules, cell.batch, cell.head, cell.query, cell.key)] : 0;
}

namespace {

bool is_hidden(const MaskRules& rules, const MaskCell& cell) {
  bool out_of_reach = false;
  for (const MaskRule& rule : rules.list) {
    if (rule.part == MaskRule::Part::allows || !rule.applies(cell)) continue;
    if (rule.part == MaskRule::Part::hides) return true;
    out_of_reach = true;
  }
  return out_of_reach && !allowing_rule(rules, cell);
}

// The key from which on any rule may say something else, for the same query.
Index next_change(const MaskRules& rules, const MaskCell& cell) {
  Index next = rules.keys;
  for (const MaskRule& rule : rules.list)
    next = std::min(next, rule.next_change ? std::max(cell.key + 1, rule.next_change(cell)) : cell.key + 1);
  return next;
}

// The rules that hide the key; attn_mask is not among them.
std::vector<const MaskRule*> hiding_rules(const MaskRules& rules, const MaskCell& cell) {
  std::vector<const MaskRule*> hiding;
  const bool near = allowing_rule(rules, cell) != nullptr;
  for (const MaskRule& rule : rules.list)
    if ((rule.part == MaskRule::Part::hides || (rule.part == MaskRule::Part::reach && !near)) && rule.applies(cell))
      hiding.push_back(&rule);
  return hiding;
}

// Why a key is visible where there are rules: which one lets it in, or why none applies.
std::string visible_because(const MaskRules& rules, const MaskCell& cell) {
  const auto out_of_reach = [&](const MaskRule& rule) {
    return rule.part == MaskRule::Part::reach && rule.applies(cell);
  };
  if (std::ranges::any_of(rules.list, out_of_reach))
    if (const MaskRule* rule = allowing_rule(rules, cell)) return rule->why(cell);
  std::vector<std::string> reasons;
  for (const MaskRule& rule : rules.list)
    if (rule.why_not && !rule.applies(cell)) reasons.push_back(rule.why_not(cell));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

bool MaskRules::any() const {
  return painted || attn_mask ||
         std::ranges::any_of(list, [](const MaskRule& rule) { return rule.part != MaskRule::Part::allows; });
}

Shape mask_shape(const MaskRules& rules) {
  const bool planes = rules.attn_mask && rules.attn_mask->rank() == 4;
  const auto some = [&](bool MaskRule::*by) { return std::ranges::any_of(rules.list, by); };
  const bool by_batch = some(&MaskRule::by_batch) || (planes && rules.attn_mask->dim(0) > 1);
  const bool by_head = some(&MaskRule::by_head) || (planes && rules.attn_mask->dim(1) > 1);
  const bool by_query = some(&MaskRule::by_query) || rules.attn_mask || rules.painted;
  return {by_batch ? rules.batches : 1, by_head ? rules.heads : 1, by_query ? rules.queries : 1, rules.keys};
}

Index mask_cell(const Shape& mask, std::vector<Index> place) {
  for (std::size_t axis = 0; axis < place.size(); ++axis)
    if (mask[axis] == 1) place[axis] = 0;
  return flat_at_index(mask, place);
}

void combine_masks(const MaskRules& rules, Compute& compute, float* to) {
  const Shape shape = mask_shape(rules);
  const Index heads = shape[1], queries = shape[2], keys = shape[3];
  compute.parallel_each(shape[0] * heads * queries, 16, [&](Index row) {
    const Index query = row % queries, head = row / queries % heads, batch = row / (queries * heads);
    float* out = to + row * keys;
    if (rules.attn_mask)
      std::copy_n(rules.attn_mask->data() + attn_mask_cell(rules, batch, head, query, 0), keys, out);
    else
      std::fill_n(out, keys, 0.0F);
    for (Index key = 0, next = 0; key < keys; key = next) {
      const MaskCell cell = cell_of(rules, batch, head, query, key);
      next = next_change(rules, cell);
      if (is_hidden(rules, cell)) std::fill(out + key, out + next, minus_infinity);
    }
  });
}

std::string hidden_by(const MaskRules& rules, Index batch, Index head, Index query, Index key) {
  const MaskCell cell = cell_of(rules, batch, head, query, key);
  std::vector<std::string> reasons;
  for (const MaskRule* rule : hiding_rules(rules, cell)) reasons.push_back(rule->why(cell));
  if (rules.attn_mask && (*rules.attn_mask)[attn_mask_cell(rules, batch, head, query, key)] == minus_infinity)
    reasons.emplace_back("attn_mask: −∞ here");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Explain explain_mask(const MaskRules& rules) {
  return [rules, shape = mask_shape(rules)](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    Explanation e;
    const MaskCell pair = cell_of(rules, at[0], at[1], at[2], at[3]);
    for (const MaskRule* rule : hiding_rules(rules, pair))
      e.terms.push_back({{Operand::constant(minus_infinity, rule->why(pair))}});
    // A hidden key stays hidden whatever attn_mask adds to it, even +∞.
    if (e.terms.empty() && rules.attn_mask)
      e.terms.push_back({{Operand::of("attn_mask", attn_mask_cell(rules, at[0], at[1], at[2], at[3]))}});
    if (e.terms.empty()) {
      const std::string reason = visible_because(rules, pair);
      e.terms.push_back({{Operand::constant(0, reason.empty() ? "visible" : "visible: " + reason)}});
    }
    e.reason = hidden_by(rules, at[0], at[1], at[2], at[3]);
    return e;
  };
}

Explain explain_masked_scores(const MaskRules& rules, std::string scores) {
  const Shape shape{rules.batches, rules.heads, rules.queries, rules.keys};
  return [rules, scores, shape, mask = mask_shape(rules)](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    const Operand added = Operand::of("mask", mask_cell(mask, at));
    const std::string reason = hidden_by(rules, at[0], at[1], at[2], at[3]);
    Explanation e;
    if (reason.empty()) {
      e.terms = {{{Operand::of(scores, cell)}}, {{added}}};
      e.reason = visible_because(rules, cell_of(rules, at[0], at[1], at[2], at[3]));
    } else {
      e.terms = {{{added}}};
      e.reason = "masked by " + reason;
    }
    return e;
  };
}

namespace {

// Of the mask's rows that hold only cells of a kind: how many queries that are, and which is the first.
struct RowsOfKind {
  Index count = 0;
  std::string first;  // "batch 0, query 2"
};

template <class Kind>
RowsOfKind rows_of_kind(const MaskRules& rules, const Tensor& mask, Kind kind) {
  const Index keys = mask.dim(3);
  Index count = 0, first = 0;
  for (Index row = mask.size() / keys - 1; row >= 0; --row) {
    const float* cells = mask.data() + row * keys;
    if (!std::all_of(cells, cells + keys, kind)) continue;
    ++count;
    first = row;
  }
  count *= rules.batches / mask.dim(0) * (rules.queries / mask.dim(2));           // one row of the mask may serve many
  const auto at = index_at_flat({mask.dim(0), mask.dim(1), mask.dim(2)}, first);  // b, m, i
  const std::string head = mask.dim(1) > 1 ? fmt::format("head {}, ", at[1]) : std::string();
  return {count, fmt::format("batch {}, {}query {}", at[0], head, rules.first_query + at[2])};
}

std::string rows_in_words(Index count) {
  return count == 1 ? "1 row has" : fmt::format("{} rows have", count);
}

// Such keys have no weight, but where a row has no others.
std::string large_numbers_warning(const MaskRules& rules, const Tensor& mask) {
  constexpr float hides = stands_for_masked;
  const auto is_large = [](float value) { return value <= hides && value > minus_infinity; };
  const auto count = std::ranges::count_if(mask.values(), is_large);
  if (count == 0) return {};
  std::string text = fmt::format(
      "{} cells of attn_mask are {:g} or less, in place of −∞: they are shown as masked where no weight is left", count,
      hides);
  const RowsOfKind blind = rows_of_kind(rules, mask, [&](float value) { return value <= hides; });
  if (blind.count > 0 && rows_of_kind(rules, mask, [](float value) { return value == minus_infinity; }).count == 0)
    text += fmt::format("; {} no visible key (first: {}), and {} weights say nothing", rows_in_words(blind.count),
                        blind.first, blind.count == 1 ? "its" : "their");
  return text;
}

}  // namespace

std::string mask_warning(const MaskRules& rules, const Tensor& mask) {
  const RowsOfKind blind = rows_of_kind(rules, mask, [](float value) { return value == minus_infinity; });
  if (blind.count == 0) return large_numbers_warning(rules, mask);
  return fmt::format("{} no visible key (first: {}): {} weights are 0 by definition", rows_in_words(blind.count),
                     blind.first, blind.count == 1 ? "its" : "their");
}

}  // namespace headlight
