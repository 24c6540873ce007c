// A matrix of a state dict as multi_head takes it: transposed, or cut into the heads of queries, keys or values.
//
// Not for which array is which: tables.h.
#pragma once

#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/layouts/layouts.h"
#include "engine/layouts/tables.h"

namespace headlight {

// `heads` are those of queries. Where `head_width` is 0 it is what that many heads leave to each; else keys and values
// have as many heads of that width as there are rows for. Errors say what is wrong with an array whose name stands
// before them.
Result<Tensor> converted(Tensor given, How how, Index heads, Index head_width);

// The shape that an array has in the file where a config says the sizes; −1 where it does not say an extent.
Shape shape_in_file(const Piece& piece, const LayerSizes& sizes);

}  // namespace headlight
