// The non-local block: attention between all positions of a signal, a picture or a video, added back to its input.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Wang, Girshick, Gupta and He 2018, Non-local Neural Networks, section 3.
const Variant& non_local();

}  // namespace headlight
