// Why a model says a token: the gradient of a logit, or of the difference of two, with respect to every attention
// weight of every layer, and what of each input token it rests on.
//
// The run goes back from the logit through the last norm and layer by layer: a layer is prepared on the stream before
// it, as in the run, and asked for gradients of its output, weighed by those of what came after it. Numbers of one
// layer are in memory at a time. Held to central differences of the logit: tests/engine/model_gradient_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/model_run.h"

namespace headlight {

struct LogitAsked {
  Index item = 0;                         // of the batch
  Index place = -1;                       // which position says it; below 0: the last
  Index token = 0;                        // its id
  std::optional<Index> against = {};      // L is the logit of `token` minus that of this one
  std::vector<ModelHead> heads_off = {};  // of the run that it is of
};

struct LogitGradients {
  // Of each layer (M, n_q, n_k), of that item: the weights, 0 where masked, and ∂L/∂ them.
  std::vector<Tensor> weights, gradients;
  // (n, n): R after the last layer, R ← R + Ā·R from R = 1, Ā = mean over heads of max(0, ∂L/∂A ⊙ A). Chefer, Gur and
  // Wolf 2021, Generic Attention-Model Explainability, equations 5 and 6. Its row of the place that says the logit is
  // how much each input token takes part.
  Tensor relevance;
  double logit = 0;  // L
  Index place = 0;

  // Of a head: Σ ∂L/∂A ⊙ A, to first order what L would lose without its weights.
  double of_head(Index layer, Index head) const;
};

// `trace` is of a run of the same model and input; of it the streams are read. Errors: models of two stacks, of windows
// or of towers, and such whose logits are made of more than the last norm and one product; a token that is none.
Result<LogitGradients> gradients_of_logit(ModelRunner& runner, const Trace& trace, const LogitAsked& asked);

}  // namespace headlight
