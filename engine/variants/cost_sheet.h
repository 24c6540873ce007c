// Adds up what a run will take, one recorded array at a time, for Variant::cost().
//
// Operations are counted a cell: one for each number that a sum takes (so a multiply-add counts as two), and for the
// normalisations, whose rows share their sums, a constant.
#pragma once

#include "engine/core/tensor.h"
#include "engine/variants/variant.h"

namespace headlight {

inline constexpr double softmax_operations = 5;     // maximum, subtract, exp, add, divide
inline constexpr double layer_norm_operations = 8;  // two for the mean, three for the variance, three to stretch, shift
inline constexpr double batch_norm_operations = 4;  // subtract, divide, stretch, shift

// A sum of n products, and perhaps a bias.
inline double linear_operations(Index n, bool bias) {
  return 2.0 * static_cast<double>(n) + (bias ? 1 : 0);
}

class CostSheet {
 public:
  void add(const Shape& shape, double operations_per_cell) {
    double cells = 1;
    for (const Index extent : shape) cells *= static_cast<double>(extent);
    cost_.bytes += cells * sizeof(float);
    cost_.operations += cells * operations_per_cell;
  }
  Cost total() const { return cost_; }

 private:
  Cost cost_;
};

}  // namespace headlight
