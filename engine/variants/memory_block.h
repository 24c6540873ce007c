// Attention within a k×k window of a picture, without positions.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2, equation 2.
const Variant& memory_block();

}  // namespace headlight
