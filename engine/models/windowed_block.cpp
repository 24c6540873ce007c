#include "engine/models/windowed_block.h"

#include <algorithm>

#include "engine/math/math.h"
#include "engine/models/ends.h"
#include "engine/models/norm_gradient.h"

namespace headlight {

Tensor normed_beside(const LayerOfStateDict& layer, const ModelPlan& plan, const std::string& which, const Tensor& x,
                     Compute& compute) {
  const Tensor &gamma = *layer.beside.at(which + "_gamma"), &beta = *layer.beside.at(which + "_beta");
  Tensor result = Tensor::uninitialized(x.shape());
  math::layer_norm(compute, x.data(), gamma.data(), beta.data(), x.size() / gamma.size(), gamma.size(),
                   static_cast<float>(plan.epsilon), result.data());
  return result;
}

Tensor gradient_of_norm_beside(const LayerOfStateDict& layer, const ModelPlan& plan, const std::string& which,
                               const Tensor& x, const Tensor& g) {
  return gradient_of_norm(x, *layer.beside.at(which + "_gamma"), g, {plan.epsilon, false});
}

namespace {

Tensor linear(const LayerOfStateDict& layer, const std::string& which, const Tensor& x, Compute& compute) {
  const Tensor& weight = *layer.beside.at("w_" + which);
  const auto bias = layer.beside.find("b_" + which);
  Shape shape = x.shape();
  shape.back() = weight.dim(1);
  Tensor result = Tensor::uninitialized(shape);
  math::linear(compute, x.data(), weight.data(), bias == layer.beside.end() ? nullptr : bias->second->data(),
               x.size() / weight.dim(0), weight.dim(0), weight.dim(1), false, result.data());
  return result;
}

}  // namespace

Tensor picture_before_attention(const LayerOfStateDict& layer, const ModelPlan& plan, const Tensor& x,
                                const ModelStage& stage, Compute& compute) {
  const Tensor stretched = normed_beside(layer, plan, "ln", x, compute);
  Tensor picture = Tensor::uninitialized({x.dim(0), x.dim(2), stage.side, stage.side});
  math::transpose(compute, stretched.data(), x.dim(0), x.dim(1), x.dim(2), picture.data());
  return picture;
}

Tensor stream_after_block(const LayerOfStateDict& layer, const ModelPlan& plan, const Tensor& x, const Tensor& attended,
                          Compute& compute) {
  Tensor y = Tensor::uninitialized(x.shape());
  math::transpose(compute, attended.data(), x.dim(0), x.dim(2), x.dim(1), y.data());
  math::add(compute, x.data(), y.data(), x.size(), y.data());
  Tensor hidden = linear(layer, "1", normed_beside(layer, plan, "ln2", y, compute), compute);
  activate(plan.activation, compute, hidden);
  const Tensor made = linear(layer, "2", hidden, compute);
  math::add(compute, y.data(), made.data(), y.size(), y.data());
  return y;
}

}  // namespace headlight
