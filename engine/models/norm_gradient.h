// By how much a number changes with what a norm was made of.
#pragma once

#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

struct NormShape {
  double epsilon = 0;
  bool by_root = false;  // by the root of the mean square, else by mean and deviation
};

// ∂L/∂x of a row x, where `stretched` is γ ⊙ ∂L/∂ its norm.
std::vector<double> gradient_of_norm(std::span<const double> x, std::span<const double> stretched, NormShape shape);

// The same of every row of x (…, d), g being of its norm.
Tensor gradient_of_norm(const Tensor& x, const Tensor& gamma, const Tensor& g, NormShape shape);

}  // namespace headlight
