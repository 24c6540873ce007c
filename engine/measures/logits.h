// What logits say: how probable a token or a class is. And how large a stream of activations is on its way to them.
//
// Not for the likeliest ones, which are steps of a model's run.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/step.h"

namespace headlight {

// Softmax of one row of logits (…, n), at one place of it; beyond them 0.
double probability(const Tensor& logits, Index row, Index id);

// How probable each token of an item was: its logits (B, n, vocabulary) are read `ahead` places before it. NaN for the
// first `ahead` tokens. Empty where there are not as many tokens as places.
std::vector<double> probabilities_of_tokens(const Tensor& logits, Index item, std::span<const Index> ids, Index ahead);

// The norms ‖x‖ of some steps, as parts of the greatest.
std::vector<float> relative_norms(const std::vector<const Step*>& steps);

}  // namespace headlight
