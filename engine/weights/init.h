// Ways to make weights that nobody gives.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/tensor.h"

namespace headlight {

// Fills an array by the name of an init:
//   xavier_normal, xavier_uniform   gain 1, from fan_in and fan_out (Glorot and Bengio 2010, equations 12 and 16)
//   normal                          mean 0, variance 1 / fan_in, so that what comes out is as large as what went in
//   identity                        (d, d): the identity; (M, d, d'): head m passes on channels m·d' … m·d' + d' − 1:
//                                   heads side by side are the input; biases and vectors: 0
//   zeros
// The numbers depend on the seed and the array's id alone.
void fill_init(Tensor& tensor, std::string_view init, std::uint64_t seed, std::string_view array_id, Index fan_in,
               Index fan_out);

}  // namespace headlight
