// Weights made by hand for text: heads whose behaviour is known before they run.
//
// They go through the same projections, scores and softmax as any weights. What they read is the channel layout of
// inputs/text.h and the sinusoids of math/positions.h.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Makes those of w_q, w_k, w_v (M, d, d') and w_o (M·d', d_out) that nobody gave, and names the heads: previous token,
// same token, induction, first-token sink, local window, two back, function words, broad; more heads repeat them,
// softer each time. False when the input is not embedded text, or too narrow to hold what the heads read (16 channels).
bool fill_text_heads(Problem& problem);

// additive: the same token. key_content_only: function words, content words, the first token, punctuation.
bool fill_text_additive(Problem& problem);
bool fill_text_keys(Problem& problem);

// Zeros of that shape for an array that nobody gave and that is to be made; null where there is nothing to make.
std::shared_ptr<Tensor> array_to_make(const Problem& problem, const char* id, Shape shape);

}  // namespace headlight
