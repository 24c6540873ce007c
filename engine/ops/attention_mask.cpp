#include "engine/ops/attention_mask.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headlight {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Keys from this one on are padding; n_k where no valid lengths are given.
Index valid_length(const MaskRules& rules, Index batch, Index query) {
  if (!rules.valid_lens) return rules.keys;
  const Tensor& lens = *rules.valid_lens;
  return static_cast<Index>(lens.rank() == 1 ? lens[batch] : lens[batch * rules.queries + query]);
}

// Flat cell of attn_mask, whose batch and head axes may be missing or 1.
Index attn_mask_cell(const MaskRules& rules, Index batch, Index head, Index query, Index key) {
  const Tensor& mask = *rules.attn_mask;
  Index plane = 0;
  if (mask.rank() == 4) plane = (mask.dim(0) == 1 ? 0 : batch) * mask.dim(1) + (mask.dim(1) == 1 ? 0 : head);
  return (plane * rules.queries + query) * rules.keys + key;
}

// The rules that hide the key, each in words; attn_mask is not among them.
std::vector<std::string> hiding_rules(const MaskRules& rules, Index batch, Index query, Index key) {
  std::vector<std::string> reasons;
  const Index place = rules.first_query + query;
  if (rules.causal && key > place) reasons.push_back(fmt::format("causal: key {} comes after query {}", key, place));
  const Index length = valid_length(rules, batch, query);
  if (key >= length)
    reasons.push_back(length == 0 ? std::string("valid length 0: every key is padding")
                                  : fmt::format("valid length {}: keys {} and later are padding", length, length));
  if (rules.key_padding_mask && (*rules.key_padding_mask)[batch * rules.keys + key] != 0)
    reasons.push_back(fmt::format("padding mask: key {} is ignored", key));
  return reasons;
}

}  // namespace

Status check_mask_values(const MaskRules& rules) {
  const auto refuse = [](const char* id, const Tensor& tensor, Index cell, const std::string& allowed) {
    return fail("{}[{}] is {}: it must be {}", id, fmt::join(index_at_flat(tensor.shape(), cell), ", "), tensor[cell],
                allowed);
  };
  if (rules.valid_lens)
    for (Index cell = 0; cell < rules.valid_lens->size(); ++cell) {
      const float length = (*rules.valid_lens)[cell];
      if (!(length >= 0 && length <= static_cast<float>(rules.keys) && length == std::floor(length)))
        return refuse("valid_lens", *rules.valid_lens, cell,
                      fmt::format("a whole number of keys from 0 to {}", rules.keys));
    }
  if (rules.key_padding_mask)
    for (Index cell = 0; cell < rules.key_padding_mask->size(); ++cell) {
      const float flag = (*rules.key_padding_mask)[cell];
      if (flag != 0 && flag != 1)
        return refuse("key_padding_mask", *rules.key_padding_mask, cell, "1 to ignore the key or 0 to use it");
    }
  return {};
}

Shape mask_shape(const MaskRules& rules) {
  const bool planes = rules.attn_mask && rules.attn_mask->rank() == 4;
  const bool by_batch = rules.valid_lens || rules.key_padding_mask || (planes && rules.attn_mask->dim(0) > 1);
  const bool by_head = planes && rules.attn_mask->dim(1) > 1;
  const bool by_query = rules.causal || rules.attn_mask || (rules.valid_lens && rules.valid_lens->rank() == 2);
  return {by_batch ? rules.batches : 1, by_head ? rules.heads : 1, by_query ? rules.queries : 1, rules.keys};
}

void combine_masks(const MaskRules& rules, Compute& compute, float* to) {
  const Shape shape = mask_shape(rules);
  const Index heads = shape[1], queries = shape[2], keys = shape[3];
  compute.parallel(shape[0] * heads * queries, 16, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index query = row % queries, head = row / queries % heads, batch = row / (queries * heads);
      float* out = to + row * keys;
      const float* added =
          rules.attn_mask ? rules.attn_mask->data() + attn_mask_cell(rules, batch, head, query, 0) : nullptr;
      if (added)
        std::copy_n(added, keys, out);
      else
        std::fill_n(out, keys, 0.0F);
      Index visible = valid_length(rules, batch, query);
      if (rules.causal) visible = std::clamp<Index>(rules.first_query + query + 1, 0, visible);
      std::fill(out + std::min(visible, keys), out + keys, minus_infinity);
      if (!rules.key_padding_mask) continue;
      const float* ignored = rules.key_padding_mask->data() + batch * keys;
      for (Index key = 0; key < keys; ++key)
        if (ignored[key] != 0) out[key] = minus_infinity;
    }
  });
}

std::string hidden_by(const MaskRules& rules, Index batch, Index head, Index query, Index key) {
  auto reasons = hiding_rules(rules, batch, query, key);
  if (rules.attn_mask && (*rules.attn_mask)[attn_mask_cell(rules, batch, head, query, key)] == minus_infinity)
    reasons.emplace_back("attn_mask: −∞ here");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Explain explain_mask(const MaskRules& rules) {
  return [rules, shape = mask_shape(rules)](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    Explanation e;
    for (const auto& reason : hiding_rules(rules, at[0], at[2], at[3]))
      e.terms.push_back({{Operand::constant(minus_infinity, reason)}});
    // A hidden key stays hidden whatever attn_mask adds to it, even +∞.
    if (e.terms.empty() && rules.attn_mask)
      e.terms.push_back({{Operand::of("attn_mask", attn_mask_cell(rules, at[0], at[1], at[2], at[3]))}});
    if (e.terms.empty()) e.terms.push_back({{Operand::constant(0, "visible")}});
    e.reason = hidden_by(rules, at[0], at[1], at[2], at[3]);
    return e;
  };
}

Explain explain_masked_scores(const MaskRules& rules, std::string scores) {
  const Shape shape{rules.batches, rules.heads, rules.queries, rules.keys};
  return [rules, scores, shape, mask = mask_shape(rules)](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    std::vector<Index> in_mask = at;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (mask[axis] == 1) in_mask[axis] = 0;
    const Operand added = Operand::of("mask", flat_at_index(mask, in_mask));
    const std::string reason = hidden_by(rules, at[0], at[1], at[2], at[3]);
    Explanation e;
    if (reason.empty()) {
      e.terms = {{{Operand::of(scores, cell)}}, {{added}}};
      if (rules.causal) e.reason = fmt::format("key {} ≤ query {}", at[3], rules.first_query + at[2]);
    } else {
      e.terms = {{{added}}};
      e.reason = "masked by " + reason;
    }
    return e;
  };
}

std::string blind_rows_warning(const MaskRules& rules, const Tensor& mask) {
  const Index keys = mask.dim(3);
  Index count = 0, first = 0;
  for (Index row = mask.size() / keys - 1; row >= 0; --row) {
    const float* cells = mask.data() + row * keys;
    if (!std::all_of(cells, cells + keys, [](float value) { return value == minus_infinity; })) continue;
    ++count;
    first = row;
  }
  if (count == 0) return {};
  count *= rules.batches / mask.dim(0) * (rules.queries / mask.dim(2));           // one row of the mask may serve many
  const auto at = index_at_flat({mask.dim(0), mask.dim(1), mask.dim(2)}, first);  // b, m, i
  // Heads are numbered from 1 for people, as in the window; batches and positions from 0.
  const std::string head = mask.dim(1) > 1 ? fmt::format("head {}, ", at[1] + 1) : std::string();
  return fmt::format("{} no visible key (first: batch {}, {}query {}): {} weights are 0 by definition",
                     count == 1 ? "1 row has" : fmt::format("{} rows have", count), at[0], head,
                     rules.first_query + at[2], count == 1 ? "its" : "their");
}

}  // namespace headlight
