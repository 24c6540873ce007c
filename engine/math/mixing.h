// Maps put together from others, number for number.
//
// As in math.h: work is split over the threads of `compute`, and each number is summed by one of them in one order.
#pragma once

#include "engine/math/math.h"

namespace headlight::math {

// maps (B, M, plane), w (M, M), bias (M) or null → out (B, M, plane): map t is Σ_m maps[m] · w[m, t] + bias[t], term
// after term. Shazeer et al. 2020, Talking-Heads Attention, section 3.
void mix_maps(Compute& compute, const float* maps, const float* w, const float* bias, Index batches, Index heads,
              Index plane, float* out, const Kernels& set = kernels());

// maps (pairs, 2, plane) → out (pairs, plane): the first of each pair less `share` times the second.
void differences(Compute& compute, const float* maps, float share, Index pairs, Index plane, float* out);

}  // namespace headlight::math
