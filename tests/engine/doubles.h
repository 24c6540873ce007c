// A run again in double precision, made of its explanations alone: what differences are taken of.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight::test {

using DoubleNumbers = std::vector<double>;

// Whether somebody gave its numbers.
bool is_given(const Step& source);

class Doubles {
 public:
  // Without the gradients of the run. The trace must outlive it.
  explicit Doubles(const Trace& trace);

  DoubleNumbers& of(const std::string& id) { return values_.at(id); }
  double operator()(const Operand& operand) const;

  // Whole numbers of samples make ties, where no slope is.
  void move_off_ties();
  // Makes every step anew from the sources as they are.
  void run();
  // ∂L/∂ every array, L being the sum of an array's numbers by these weights.
  std::map<std::string, DoubleNumbers> gradients(const std::string& of, const Tensor& weights);

 private:
  const Trace& trace_;
  std::vector<const Step*> order_;
  std::map<std::string, DoubleNumbers> values_;
  // What was read last: most operands are of the same few arrays as those before.
  mutable std::array<std::pair<std::string, const DoubleNumbers*>, 4> recent_ = {};
  mutable std::size_t oldest_ = 0;
};

}  // namespace headlight::test
