// By how much a logit of a model changes with the attention weights of its layers, and how relevant that makes each
// position: gradient × attention.
//
// Not for rollout, which knows no question: measures/head_measures.h.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/models/ends.h"
#include "engine/run/model_run.h"

namespace headlight {

// All of one item of the batch.
struct LogitGradients {
  double value = 0;  // the logit, or the difference of two
  // Of each layer (M, n, n): its weights, and by how much that number grows for each 1 that a weight grows, all that
  // follows from it moving along.
  std::vector<Tensor> weights, gradients;
  // (L, n, n): Ā_l = mean_m max(0, gradient ⊙ weight), R_0 = I + Ā_0, R_l = R_{l−1} + Ā_l R_{l−1}. Chefer, Gur and Wolf
  // 2021, Generic Attention-model Explainability, equations 5 and 6.
  Tensor relevance;
};

// Of a trace of the runner's own that kept the streams, where heads of `ablated` are off. Errors: a model of several
// stacks or sizes of layers, or without logits of tokens; no such place or token.
Result<LogitGradients> logit_gradients(ModelRunner& runner, const Trace& trace, const LogitAsked& asked,
                                       const std::vector<ModelHead>& ablated, std::atomic<float>* progress = nullptr);

}  // namespace headlight
