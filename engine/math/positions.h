// Sinusoidal positions.
#pragma once

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"

namespace headlight {

// (n, d): channel 2i is sin(pos / 10000^(2i/d)), channel 2i+1 the cosine of the same; the last channel of an odd d is a
// sine. Row t is the position first + t · step. Vaswani et al. 2017, Attention Is All You Need, section 3.5.
void sinusoidal_positions(Index n, Index d, float* out, Index first = 0, Index step = 1);

// (n, d), the same of the positions last, last − 1, … by threads.
void sinusoidal_positions_from(Compute& compute, Index last, Index n, Index d, float* out);

// (n, d), of places on a grid row by row: the first d/2 channels are the row's code, the others the column's, both
// counted from 0. d must be a multiple of 4. Carion et al. 2020, End-to-End Object Detection with Transformers,
// appendix A.4, who count from 1 and stretch a picture to one size.
void sinusoidal_positions_2d(Index n, Index columns, Index d, float* out);

}  // namespace headlight
