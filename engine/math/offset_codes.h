// Codes of offsets, sines and cosines, brought into heads.
#pragma once

#include "engine/math/math.h"

namespace headlight::math {

// codes (count, d), sinusoidal_positions() of the places last, last − 1, …, times w (M, d, d') → out (M, count, d').
// What sines give for a place they give for the opposite one with the other sign, and cosines give the same: both
// products are made once for the two. Waves that turn slowly are multiplied at few places alone, and what lies between
// is interpolated, to within the rounding of a product.
void project_codes(Compute& compute, const float* codes, Index last, Index count, Index d, const float* w, Index heads,
                   Index width, float* out, const Kernels& set = kernels());

}  // namespace headlight::math
