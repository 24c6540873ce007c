// The rules that keep a query from looking at a key, put together into one additive mask: 0 (or what attn_mask says)
// where a key is visible, −∞ where any rule hides it.
//
// Not for adding it to scores: that is ops/mask.cpp. Shared by the variants that know valid lengths or masks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/result.h"
#include "engine/trace/step.h"

namespace headlight {

struct MaskRules {
  bool causal = false;                             // key j is hidden from query i where j > i, of all queries
  std::shared_ptr<const Tensor> valid_lens;        // (B) or (B, n_q): keys from there on are padding; may be null
  std::shared_ptr<const Tensor> key_padding_mask;  // (B, n_k): 1 hides the key, 0 shows it; may be null
  std::shared_ptr<const Tensor> attn_mask;         // (n_q, n_k) or (B|1, M|1, n_q, n_k): added; may be null
  Index batches = 1;
  Index heads = 1;
  Index queries = 1;
  Index keys = 1;
  Index first_query = 0;  // where the first of these queries stands among all

  bool any() const { return causal || valid_lens || key_padding_mask || attn_mask; }
};

// Valid lengths are whole numbers from 0 to n_k, and a padding mask is 0 or 1; an error names the place and the value.
Status check_mask_values(const MaskRules& rules);

// (B|1, M|1, n_q|1, n_k): as small as the rules allow.
Shape mask_shape(const MaskRules& rules);

// Writes the mask, of mask_shape(). The values must have passed check_mask_values().
void combine_masks(const MaskRules& rules, Compute& compute, float* out);

// Which rules hide key j from query i, in words; empty where it is visible.
// "causal: key 5 comes after query 3; padding mask: key 5 is ignored".
std::string hidden_by(const MaskRules& rules, Index batch, Index head, Index query, Index key);

// Why a cell of the mask is what it is.
Explain explain_mask(const MaskRules& rules);

// Why a cell of `scores` plus the mask (B, M, n_q, n_k) is what it is: the sum, or the mask alone where it hides.
Explain explain_masked_scores(const MaskRules& rules, std::string scores);

// One line on the rows that leave a query no key to look at, or empty when there is none. Heads count as one where
// the mask is the same for all of them.
std::string blind_rows_warning(const MaskRules& rules, const Tensor& mask);

}  // namespace headlight
