// What stands round attention in windows of a picture: the norm before it, and the feed-forward after. Liu et al. 2021,
// Swin Transformer, equation 3.
//
// Not for the attention, which runs as variant swin does.
#pragma once

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/layouts/layouts.h"
#include "engine/models/plan.h"

namespace headlight {

// x (…, d), normalised by what a layer has beside its mechanism: WHICH_gamma and WHICH_beta.
Tensor normed_beside(const LayerOfStateDict& layer, const ModelPlan& plan, const std::string& which, const Tensor& x,
                     Compute& compute);

// ∂L/∂x, where ∂L/∂ that norm is g.
Tensor gradient_of_norm_beside(const LayerOfStateDict& layer, const ModelPlan& plan, const std::string& which,
                               const Tensor& x, const Tensor& g);

// The norm of the stream x (B, h·w, d), as a picture (B, d, h, w). `layer` has the arrays of the block beside it.
Tensor picture_before_attention(const LayerOfStateDict& layer, const ModelPlan& plan, const Tensor& x,
                                const ModelStage& stage, Compute& compute);

// The stream after the block: with y = x + attended, as a picture (B, d, h, w), y + MLP(norm(y)).
Tensor stream_after_block(const LayerOfStateDict& layer, const ModelPlan& plan, const Tensor& x, const Tensor& attended,
                          Compute& compute);

}  // namespace headlight
