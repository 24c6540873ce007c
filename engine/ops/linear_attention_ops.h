// Operations of attention that takes features instead of softmax, so that sums over keys can be made before anybody
// asks. Katharopoulos et al. 2020, Transformers are RNNs, section 3.
//
// As in ops.h, each stands with all that is said of it. A mask is an array of 0 and −∞ with the axes of pairs, as
// ops::mask() makes it, or empty where nothing is hidden.
#pragma once

#include <algorithm>

#include "engine/ops/ops.h"

namespace headlight::ops {

// What one sum over keys is for: all queries, or each query's own, of what stands up to its place.
struct SummedFor {
  bool each_query = false;
  Axis queries = {};
  Index first = 0;  // where query 0 stands among the keys

  // The last key that a query's sum takes, of n.
  Index last(Index query, Index keys) const { return each_query ? std::min(first + query, keys - 1) : keys - 1; }
};

// rule(x) (B, M, n, d), cell by cell, along `numbers` instead of its channels; of keys, 0 for those that the mask
// (B|1, 1, 1, n) hides.
Operation features(const Array& x, Combine rule, const Axis& numbers, const Array& mask, const MaskRules& rules);
// exp(x̂ w − ‖x̂‖²/2) / √D, x̂ = x / d^¼, of x (B, M, n, d) and w (M, d, D), along `numbers` D; 0 likewise. Products of
// these are exp(q·k / √d) on average over random w. Choromanski et al. 2021, Rethinking Attention with Performers,
// section 2.3, without its stabiliser.
Operation random_features(const Array& x, const Array& w, const Axis& numbers, const Array& mask,
                          const MaskRules& rules);
// What queries read of a state of their own as soon as it is made: many states are more than a cache keeps.
struct ReadInPassing {
  Array q;                                                    // (B, M, n_q, D)
  std::shared_ptr<Tensor> read = std::make_shared<Tensor>();  // q · state (B · M · n_q, d'), once there are states
};
// Σ_j k_j v_jᵀ of features k (B, M, n_k, D) and v (B, M, n_k, d') → (B, M, D, d'), or (B, M, n_q, D, d').
Operation state_of_keys(const Array& k, const Array& v, const SummedFor& whom, const ReadInPassing& passing);
// Σ_j k_j → (B, M, D), or (B, M, n_q, D).
Operation sum_of_keys(const Array& k, const SummedFor& whom);
// q (B, M, n_q, D) · sum (B, M, D) or (B, M, n_q, D) → (B, M, n_q).
Operation met_by_sum(const Array& q, const Array& sum, bool each_query);
// scores (B, M, n_q, n_k) / denominator (B, M, n_q), 0 where the mask hides the key or the denominator is 0.
Operation shares(const Array& scores, const Array& denominator, const Array& mask, const MaskRules& rules);
// q (B, M, n_q, D) · state / denominator → (B, M, n_q, d'); 0 where that is 0.
Operation read_from_state(const ReadInPassing& passing, const Array& state, const Array& denominator, bool each_query);

}  // namespace headlight::ops
