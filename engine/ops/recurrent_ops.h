// Operations of a recurrent decoder that looks back at its source before each step. Bahdanau, Cho and Bengio 2015,
// appendix A.1.2 and A.2.2.
#pragma once

#include "engine/ops/ops.h"

namespace headlight::ops {

// What a gated unit is made of: σ or tanh of word (B, n, d_y) · w (d_y, d_s) + state (B, n + 1, d_s) · u (d_s, d_s)
// + context (B, n, d_k) · c (d_k, d_s), the state being that before each step; perhaps times reset (B, n, d_s) first.
struct UnitWeights {
  Array w, u, c;
};
Operation gate(const Array& word, const Array& states, const Array& context, const UnitWeights& weights);
Operation candidate(const Array& word, const Array& states, const Array& context, const Array& reset,
                    const UnitWeights& weights);

// What every row of the loop comes from.
struct Decoder {
  Array word, start;        // (B, n, d_y), (B, d_s)
  Array keys, annotations;  // (B, 1, n_k, h), (B, n_k, d_k)
  Array mask;               // (B|1, 1, n|1, n_k) of 0 and −∞, or empty
  Array w_q, w_score;       // (d_s, h), (h)
  UnitWeights update, reset, candidate;
};
// Row 0 is the start; row i + 1 = (1 − update_i) ∘ row i + update_i ∘ candidate_i → (B, n + 1, d_s) along `states`.
// What the loop makes on its way is told as numbers: it is recorded after, from these states.
Operation decoder_states(const Decoder& decoder, const Axis& states, const Axis& channels);
// The state before each step (B, n + 1, d_s) · w (d_s, h) → (B, 1, n, h).
Operation project_states(const Array& states, const Array& w, const Axis& queries);
// (1 − update) ∘ the state before each step + update ∘ candidate → (B, n, d_s).
Operation state_after(const Array& states, const Array& update, const Array& candidate);

}  // namespace headlight::ops
