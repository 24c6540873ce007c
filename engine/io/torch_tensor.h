// Where in its storage a tensor of a torch file lies: elements at strides, from an offset on.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight {

// What a call of _rebuild_tensor_v2 says.
struct TorchTensor {
  std::string storage;  // "torch.FloatStorage"
  std::string key;      // of the member that holds it
  Index count = 0;      // of its elements
  Index offset = 0;
  Shape shape;
  std::vector<Index> strides;
};

// Every element within the storage, and not absurdly more of them than it has.
Status check_inside(const TorchTensor& tensor);
// Whether its elements lie one after the other as a tensor of that shape has them.
bool is_contiguous(const TorchTensor& tensor);
// From the piece of the storage that begins at the tensor's offset.
Tensor gather_strided(const TorchTensor& tensor, const Tensor& piece);

}  // namespace headlight
