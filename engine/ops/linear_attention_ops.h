// Operations of attention that takes features instead of softmax, so that sums over keys can be made before anybody
// asks. Katharopoulos et al. 2020, Transformers are RNNs, section 3.
//
// As in ops.h, each stands with all that is said of it. A mask is an array of 0 and −∞ with the axes of pairs, as
// ops::mask() makes it, or empty where nothing is hidden.
#pragma once

#include "engine/ops/ops.h"

namespace headlight::ops {

// Which keys are summed. Where it is causal each query has a sum of its own, of the keys up to its position; else one
// sum of all keys serves all queries.
struct KeySums {
  Axis queries;
  bool causal = false;
  Index first = 0;  // where query 0 stands among the keys
};

// rule(x) (B, M, n, d), cell by cell, along `numbers` instead of its channels; of keys, 0 for those that the mask
// (B|1, 1, 1, n) hides.
Operation features(const Array& x, Combine rule, const Axis& numbers, const Array& mask, const MaskRules& rules);
// exp(x̂ w − ‖x̂‖²/2) / √D, x̂ = x / d^¼, of x (B, M, n, d) and w (M, d, D), along `numbers` D; 0 likewise. Products of
// these are exp(q·k / √d) on average over random w. Choromanski et al. 2021, Rethinking Attention with Performers,
// section 2.3, without its stabiliser.
Operation random_features(const Array& x, const Array& w, const Axis& numbers, const Array& mask,
                          const MaskRules& rules);
// Σ_j k_j v_jᵀ of features k (B, M, n_k, D) and v (B, M, n_k, d') → (B, M, D, d'), causal (B, M, n_q, D, d').
Operation sum_of_outer_products(const Array& k, const Array& v, const KeySums& sums);
// Σ_j k_j → (B, M, D), causal (B, M, n_q, D).
Operation sum_of_keys(const Array& k, const KeySums& sums);
// q (B, M, n_q, D) · sum → (B, M, n_q).
Operation dot_with_key_sum(const Array& q, const Array& sum, const KeySums& sums);
// scores (B, M, n_q, n_k) / denominator (B, M, n_q), 0 where the mask hides the key or the denominator is 0.
Operation implied_weights(const Array& scores, const Array& denominator, const Array& mask, const MaskRules& rules);
// q (B, M, n_q, D) · state / denominator (B, M, n_q) → (B, M, n_q, d'); 0 where the denominator is 0.
Operation divided_products(const Array& q, const Array& state, const Array& denominator, const KeySums& sums);

}  // namespace headlight::ops
