// The operations that mechanisms are made of, each in a file of its name or of its kind (scaled, sum and product are in
// cellwise.cpp) with all that is said of it (operation.h). Shapes are those of the arrays it reads → of what it gives.
// A bias that takes no part is an empty Array.
//
// Not for rotary positions, which read parameters: options::rotate_by() in variants/head_option.h.
#pragma once

#include <optional>
#include <string>

#include "engine/ops/attention_mask.h"
#include "engine/ops/operation.h"

namespace headlight::ops {

// The epsilon of normalisation where nothing else is said: PyTorch's default.
inline constexpr double norm_epsilon = 1e-5;

// A number that another is multiplied by, and how that is said.
struct Factor {
  double value = 1;
  std::string label = {};    // "1/√8"; empty where it is 1
  std::string in_code = {};  // what follows the product in a line of Python: "/ 8**0.5"
  std::string left = {};     // what stands before the product in a formula: "\frac{1}{\sqrt{C}}\,"
  std::string right = {};    // and after it; with left = "\frac{" this is "}{\sqrt{d'}}"
  Index root_of = 0;         // 8, where the value is 1/√8 or that over a temperature
};

// x (B, n, d_in) · w (M, d_in, d') + b (M, d') → (B, M, n, d'); w (d_in, d') and b (d') are one head.
// Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.
Operation project(const Array& x, const Array& w, const Array& b = {});

// x (…, d_in) · w (d_in, d_out) + b (d_out) → (…, d_out).
Operation linear(const Array& x, const Array& w, const Array& b = {});
// rule(x · w + b), cell by cell: ReLU, GELU …. Vaswani et al. 2017, section 3.3, equation 2.
Operation linear_with_activation(const Array& x, const Array& w, const Array& b, Combine rule);
// x (…, h) · w (h) → (…).
Operation dot_with_vector(const Array& x, const Array& w);

// Where (1|B, M, …) stands beside (B, S, …), M/S consecutive planes of which belong to one head.
struct PlanesOfHeads {
  Index maps = 1, heads = 1, batches = 1;

  PlanesOfHeads(const Array& of_maps, const Array& of_heads)
      : maps(of_maps.dim(1)), heads(of_heads.dim(1)), batches(of_heads.dim(0)) {}
  Index plane(Index map) const { return (batches == 1 ? 0 : map / maps) * heads + map % maps * heads / maps; }
};

// What reads x (B, G, …) once for each of M heads, in Python: `times` consecutive ones read the same.
Code heads_repeated(const Array& x, Index times);

// q (B, M, n_q, d') · kᵀ (B, G, n_k, d') → (B, M, n_q, n_k): each head of k meets M/G consecutive heads of q, which
// share it. Vaswani et al. 2017, equation 1, before the scale; Ainslie et al. 2023, GQA, section 2.2.
Operation dot_products(const Array& q, const Array& k);
// The same, each times a factor.
Operation dot_products(const Array& q, const Array& k, const Factor& factor);
// u (M, d') · kᵀ (B, M, n_k, d') → (B, M, n_q, n_k): every query of the axis asks with the same vector.
Operation dot_products_for_all_queries(const Array& u, const Array& k, const Axis& queries);
// The same where heads of `maps` S share those of k (B, T, n_k, d'), and S/M consecutive maps those of u; made together
// with `scores_before`, of the same pairs.
Operation dot_products_for_all_queries(const Array& u, const Array& k, const Axis& queries, const Axis& maps,
                                       const std::string& scores_before);

// tanh(q (B, 1, n_q, h) + k (B, 1, n_k, h)) for every pair → (B, 1, n_q, n_k, h).
// Bahdanau, Cho and Bengio 2015, appendix A.1.2.
Operation tanh_of_sums(const Array& q, const Array& k);

// factor · x.
Operation scaled(const Array& x, const Factor& factor);
// 1/√d, d the width of x (…, d). Vaswani et al. 2017, section 3.2.1.
Factor over_root_of(const Array& x);
// The same of a width under that symbol. Formulas divide by the root, or have 1/√d `in_front`.
Factor over_root_of(Index width, const std::string& symbol, bool in_front = false);

// factor · x (B, S, n_q, n_k) + bias (1|B, M, n_q, n_k), of which S/M consecutive maps read one head's: what is added
// is not scaled.
Operation scaled_plus(const Array& x, const Factor& factor, const Array& bias);

// a + b, cell by cell. b has a's shape, or that of one of its batch items: then it is added to each of them.
Operation sum(const Array& a, const Array& b);

// a · b, cell by cell, of one shape.
Operation product(const Array& a, const Array& b);

// x as it is, under another name.
Operation copy(const Array& x);

// All rules' masks as one, with those of a map's axes that they tell places apart on: (B|1, M|1, n_q|1, n_k).
Operation mask(const MaskRules& rules, std::vector<Axis> axes);
// scores (B, M, n_q, n_k) + mask; −∞ where the mask is, whatever the score.
Operation add_mask(const Array& scores, const Array& mask, const MaskRules& rules);

// exp(x) / Σ exp(x) over the last axis; a row of −∞ alone becomes 0.
Operation softmax(const Array& scores);
// exp(x) / (exp(b) + Σ exp(x)): the sink b (M) of each head takes a share of every row. Of x (B, S, n_q, n_k) with S a
// multiple of M, S/M consecutive maps belong to one head.
Operation softmax_with_sink(const Array& scores, const Array& sinks);
// 1 − Σ over the last axis, (…, n_k) → (…, 1): what the sink took.
Operation sink_weights(const Array& weights);
// 1 / (1 + exp(−x − bias)), cell by cell; `right` and `in_code` say the bias in the formula and in Python: "- 0.5".
Operation sigmoid(const Array& scores, const Factor& bias);
// max(0, x − τ) and max(0, x/2 − τ)², τ such that the row adds up to 1. Martins and Astudillo 2016, algorithm 1;
// Peters, Niculae and Martins 2019, α = 1.5.
Operation sparsemax(const Array& scores);
Operation entmax15(const Array& scores);
// Scores that a mask was added to, and the mask of those rules: empty where no rule is at work.
struct MaskedScores {
  Array scores;
  Array mask;
  MaskRules rules;
};
// softmax() of masked scores: hidden keys have weight 0.
Operation masked_softmax(const MaskedScores& masked);
// Any weights of masked scores: hidden cells say why, and rows without a visible key bring a warning.
Operation with_mask_reasons(Operation weights, const MaskedScores& masked);

// 1 where a number of `map` stays, 0 where it is dropped, which `chance` of them are, drawn from the seed.
Operation dropout_mask(const Array& map, double chance, std::uint64_t seed);
// weights · kept / (1 − chance). Srivastava et al. 2014, Dropout, section 10 (inverted: what stays is divided by the
// chance to stay).
Operation dropout(const Array& weights, const Array& kept, double chance);

// a (B, M, n_q, n_k) · v (B, G, n_k, d') → (B, M, n_q, d'), M/G consecutive heads sharing one of v; of one head, v may
// be (B, n_k, d) → (B, n_q, d).
Operation weighted_sum(const Array& a, const Array& v);
// weighted_sum() + extra, of the result's shape.
Operation weighted_sum_plus(const Array& a, const Array& v, const Array& extra);

// heads (B, M, n, d') → (B, n, M·d'), head-major: channel m·d' + c is channel c of head m. `channels` is the last axis.
Operation concatenation(const Array& heads, const Axis& channels);
// The classic bug: (B, M, n, d') reread as (B, n, M·d') without swapping the axes. The memory stays as it is; what a
// cell should have held is named.
Operation merged_without_transpose(const Array& heads, const Axis& channels);
// Weights (B, M, n_q, n_k) of rows that were divided already, 0 where the mask is −∞: what hidden keys took is lost. A
// classic mistake; what the mask adds elsewhere has no part in it.
Operation masked_after_softmax(const Array& weights, const Array& mask, const MaskRules& rules);

// Rows of the last axis to mean 0 and variance 1, times gamma, plus beta: (d), or of x (B, M, n, d) also (M, d).
// Ba, Kiros and Hinton 2016, Layer Normalization, section 3.
Operation layer_norm(const Array& x, const Array& gamma, const Array& beta, double epsilon = norm_epsilon);
// Rows of the last axis to a mean square of 1, times gamma, likewise. Zhang and Sennrich 2019, section 4, equation 4.
Operation rms_norm(const Array& x, const Array& gamma, double epsilon = norm_epsilon);
// Each row of the last axis divided by its length, or by 10⁻¹² where it is shorter.
Operation unit_length(const Array& x);

}  // namespace headlight::ops
