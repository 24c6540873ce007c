// Sums that a processor adds up side by side, in one order on every machine.
#pragma once

#include "engine/core/tensor.h"

namespace headlight::math {

// Σ at(0) … at(n − 1) in double precision: eight sums, so that none waits for the one before, and what they come to.
template <class At>
double sum_of(Index n, const At& at) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += at(i + lane);
  double sum = 0;
  for (; i < n; ++i) sum += at(i);
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace headlight::math
