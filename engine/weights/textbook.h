// Weights that nobody gives: made by hand, so that heads do what their names say, or drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/tensor.h"
#include "engine/variants/variant.h"

namespace headlight {

// Fills arrays whose fill is Fill::init with weights made by hand, and names the heads; false where there are none for
// such a variant, input or size.
bool fill_textbook(Problem& problem);

// Whether there are any for such a variant, of whatever input and size.
bool has_textbook(const Variant& variant);

// Whether positions, turns or distances tell the order. Without them no earlier layer could have noted which word
// stood before, and the embedding of a text does not hold it either.
bool tells_order(const ParamValues& params);

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
