// Adds up what a run will take, one recorded array at a time, for Variant::cost().
//
// Operations are counted a cell: one for each number that a sum takes (so a multiply-add counts as two), and for the
// normalisations, whose rows share their sums, what the table of rules says (trace/rule.h).
#pragma once

#include "engine/core/tensor.h"
#include "engine/trace/rule.h"
#include "engine/variants/variant.h"

namespace headlight {

inline const double softmax_operations = rule_of(Combine::softmax).operations;
inline const double layer_norm_operations = rule_of(Combine::layer_norm).operations;
inline const double batch_norm_operations = rule_of(Combine::batch_norm).operations;

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
