// The number of a picture that stands out most, which captions and descriptions name.
#pragma once

#include "engine/core/tensor.h"
#include "engine/picture/matrix.h"

namespace headlight::app {

// The number furthest from 0, and the first cell that has it; of finite numbers alone.
struct Greatest {
  Index row = 0, column = 0;
  float value = 0;
  bool found = false;
  Index cells = 0;  // that have it
};

// `off_diagonal`: of the cells off the diagonal alone.
Greatest greatest_of(const MatrixView& cells, bool off_diagonal);

}  // namespace headlight::app
