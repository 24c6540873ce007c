// What a run's gradients are of.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// The loss L: one number of an array, or all of them together.
struct GradientAsked {
  std::string of;                // its id in the trace
  std::vector<Index> cell = {};  // an index along each of its axes; empty: L is the sum of all its numbers
  std::shared_ptr<const Tensor> weights = nullptr;          // of its shape: what each counts in that sum, in place of 1
  std::set<std::string, std::less<>> with_respect_to = {};  // of inputs and weights, those alone; empty: all

  bool operator==(const GradientAsked&) const = default;
};

// The ids of steps: that of ∂L/∂ an array, and that of the array which a gradient is of, or the id itself.
std::string gradient_id(const std::string& id);
std::string forward_id(const std::string& id);

}  // namespace headlight
