// Steps that more than one variant takes: each computes one tensor from arrays recorded before and hands it over with
// its explanation. What a step is called and says is the variant's.
//
// Arrays are named by id; an empty or absent bias takes no part. info.axes must fit the shape given here.
#pragma once

#include <string>
#include <vector>

#include "engine/variants/attention_mask.h"
#include "engine/variants/recorder.h"

namespace headlight::parts {

// The parameter that asks for the row of a single query (run/only_query.h), for variants whose every step can do with
// n_q = 1.
ParamSpec only_query_param();

// The declaration of a weight that has one shape.
ArraySpec weight(std::string id, std::string title, std::string help, std::vector<std::string> shape, Fill fill,
                 Role role = Role::none);

// x (B, n, d_in) · w (M, d_in, d') + b (M, d') → (B, M, n, d'). Vaswani et al. 2017, section 3.2.2.
const Tensor& project(Recorder& r, StepInfo info, const std::string& x, const std::string& w, const std::string& b);

// x (…, d_in) · w (d_in, d_out) + b (d_out) → (…, d_out), through max(0, ·) where combine is Combine::relu.
const Tensor& linear(Recorder& r, StepInfo info, const std::string& x, const std::string& w, const std::string& b,
                     Combine combine = Combine::sum);

// q (B, M, n_q, d') · kᵀ (B, M, n_k, d') → (B, M, n_q, n_k).
const Tensor& dot_products(Recorder& r, StepInfo info, const std::string& q, const std::string& k);

// factor · x; `label` says what the factor is ("1/√8"), and `in_code` what is done to x ("/ 8**0.5").
const Tensor& scaled(Recorder& r, StepInfo info, const std::string& x, double factor, const std::string& label,
                     const std::string& in_code);

// scores (B, M, n_q, n_k) with the rules' mask added, −∞ where a rule hides the key. Records the mask itself as a
// source.
const Tensor& masked(Recorder& r, StepInfo info, const std::string& scores, const MaskRules& rules);

// Softmax over the last axis.
const Tensor& softmax(Recorder& r, StepInfo info, const std::string& scores);

// Softmax of what masked() recorded as `scores`; hidden cells say why, and rows without a visible key bring a warning.
const Tensor& masked_softmax(Recorder& r, StepInfo info, const std::string& scores, const MaskRules& rules);

// a (B, M, n_q, n_k) · v (B, M, n_k, d') → (B, M, n_q, d').
const Tensor& weighted_sum(Recorder& r, StepInfo info, const std::string& a, const std::string& v);

// heads (B, M, n, d') → (B, n, M·d'), head-major.
const Tensor& concatenation(Recorder& r, StepInfo info, const std::string& heads);

// Rows of the last axis to mean 0 and variance 1, times `which`_gamma, plus `which`_beta.
// Ba, Kiros and Hinton 2016, Layer Normalization, section 3.
const Tensor& layer_norm(Recorder& r, StepInfo info, const std::string& x, const std::string& which);

// a + b, cell by cell.
const Tensor& sum(Recorder& r, StepInfo info, const std::string& a, const std::string& b);

// x as it is, under another name.
const Tensor& copy(Recorder& r, StepInfo info, const std::string& x);

}  // namespace headlight::parts
