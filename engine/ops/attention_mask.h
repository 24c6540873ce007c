// The rules that keep a query from looking at a key, put together into one additive mask: 0 (or what attn_mask says)
// where a key is visible, −∞ where any rule hides it.
//
// Not for adding it to scores: that is ops/mask.cpp. Nor which rules there are: a rule says all of itself, as an
// operation does; those of the variants are in variants/mask_options.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/trace/step.h"

namespace headlight {

// A pair of the map. `place` is where the query stands among the keys, which rules of position and words go by.
struct MaskCell {
  Index batch = 0;
  Index head = 0;
  Index query = 0;
  Index key = 0;
  Index place = 0;
};

struct MaskRule {
  enum class Part {
    hides,   // what it applies to is hidden
    reach,   // the same, unless another rule lets it in
    allows,  // what it applies to is not hidden for being out of reach
  };
  // What it goes by, and is drawn by.
  enum class By { order, distance, blocks, documents, absence };

  Part part = Part::hides;
  std::function<bool(const MaskCell&)> applies;
  std::function<std::string(const MaskCell&)> why;           // why, where it applies
  std::function<std::string(const MaskCell&)> why_not = {};  // why not, where it does not; may be empty
  // The next key at which the answer for this query may change; empty: the next one.
  std::function<Index(const MaskCell&)> next_change = {};
  // Where it applies: (n_q, n_k) of i, the places of queries, and j, the keys, or (n_k) of j where it is not by query.
  // Of rank 4 where it is by batch or head, or not by place.
  Code code;
  bool by_batch = false;  // whether it differs from one to another
  bool by_head = false;
  bool by_query = true;
  bool by_place = true;   // whether it goes by where queries and keys stand
  bool triangle = false;  // whether it hides just the keys after a query's own place: what triu and tril make
  By by = By::order;
  std::string id = {};    // of the option that it is of: "causal"
  std::string name = {};  // "Causal"
  std::string says = {};  // which keys it leaves or lets in, in a few words: "key ≤ query"
};

struct MaskRules {
  std::vector<MaskRule> list;               // in the order in which reasons are told
  std::shared_ptr<const Tensor> attn_mask;  // (n_q, n_k) or (B|1, M|1, n_q, n_k): added; may be null
  Index batches = 1;
  Index heads = 1;
  Index queries = 1;
  Index keys = 1;
  Index first_query = 0;  // where the first of these queries stands among the keys
  bool painted = false;   // its cells are edited: it has a row for each query, whatever the rules need

  // Whether anything is hidden or added: what only lets in does neither.
  bool any() const;
};

// (B|1, M|1, n_q|1, n_k): as small as the rules allow.
Shape mask_shape(const MaskRules& rules);

// The flat cell of a mask of that shape that stands beside a place of the map: axes of extent 1 are shared.
Index mask_cell(const Shape& mask, std::vector<Index> place);

// Writes the mask, of mask_shape().
void combine_masks(const MaskRules& rules, Compute& compute, float* out);

// A pair as the rules look at it.
MaskCell cell_of(const MaskRules& rules, Index batch, Index head, Index query, Index key);

// The rule that lets a pair in which is out of another's reach, null where none does.
const MaskRule* allowing_rule(const MaskRules& rules, const MaskCell& cell);

// What attn_mask adds to a pair; 0 without one.
float added_by_attn_mask(const MaskRules& rules, const MaskCell& cell);

// Which rules hide key j from query i, in words; empty where it is visible.
// "causal: key 5 comes after query 3; padding mask: key 5 is ignored".
std::string hidden_by(const MaskRules& rules, Index batch, Index head, Index query, Index key);

// Why a cell of the mask is what it is.
Explain explain_mask(const MaskRules& rules);

// Why a cell of `scores` plus the mask (B, M, n_q, n_k) is what it is: the sum, or the mask alone where it hides.
Explain explain_masked_scores(const MaskRules& rules, std::string scores);

// One line on the rows that leave a query no key to look at, or on numbers that hide keys without being −∞; empty where
// there is neither. Heads count as one where the mask is the same for all of them.
std::string mask_warning(const MaskRules& rules, const Tensor& mask);

}  // namespace headlight
