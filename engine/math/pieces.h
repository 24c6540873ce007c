// How the functions of math.h that only stream memory are cut into pieces of work.
#pragma once

#include <algorithm>

#include "engine/core/parallel.h"

namespace headlight::math {

inline constexpr Index flat_piece = 1 << 15;  // numbers a piece of work that only streams memory

// Calls body(begin, end) over pieces of a flat range.
template <class Body>
void over_flat(Compute& compute, Index size, Body body) {
  compute.parallel(size, flat_piece, body);
}

// Calls body(begin, end) over pieces of rows of n numbers.
template <class Body>
void over_rows(Compute& compute, Index rows, Index n, Body body) {
  compute.parallel(rows, std::max<Index>(1, flat_piece / n), body);
}

}  // namespace headlight::math
