// Attention over the pixels of a picture with two-dimensional relative positions, global or in a window.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2; global as in Cordonnier et al.
// 2020, On the Relationship between Self-Attention and Convolutional Layers, section 2.2.
const Variant& stand_alone_2d();

}  // namespace headlight
