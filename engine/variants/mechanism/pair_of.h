// Which query and key a mechanism is told of, in which head of which batch item.
#pragma once

#include "engine/core/tensor.h"

namespace headlight::mechanism {

struct PairOf {
  Index batch = 0, head = 0, query = 0, key = 0;
};

}  // namespace headlight::mechanism
