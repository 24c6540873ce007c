// Sinusoidal positions.
#pragma once

#include "engine/core/tensor.h"

namespace headlight {

// (n, d): channel 2i is sin(pos / 10000^(2i/d)), channel 2i+1 the cosine of the same; the last channel of an odd d is a
// sine. Vaswani et al. 2017, Attention Is All You Need, section 3.5.
void sinusoidal_positions(Index n, Index d, float* out);

}  // namespace headlight
