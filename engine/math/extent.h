// What a set of numbers spans: how many are finite, masked and broken, and the least and greatest of the finite ones.
// The recorder keeps it with every step, so that nobody who draws reads all numbers again.
//
// Not for what a picture makes of it: that is picture/value_range.h.
#pragma once

#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// −∞ counts as masked, NaN and +∞ as broken; neither is part of least and greatest, which are 0 where nothing is
// finite.
struct Extent {
  Index finite = 0;
  Index masked = 0;
  Index broken = 0;
  float least = 0;
  float greatest = 0;
};

Extent extent_of(std::span<const float> values);
// The same of so many equal numbers.
Extent extent_of_equal(float number, Index count);
// Of each item along the first axis.
std::vector<Extent> extents_of_items(const Tensor& values);
Extent united(const Extent& a, const Extent& b);

}  // namespace headlight
