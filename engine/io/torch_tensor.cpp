#include "engine/io/torch_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headlight {

Status check_inside(const TorchTensor& tensor) {
  constexpr Index largest = Index{1} << 44;  // elements, of any real file
  constexpr Index most_repeats = 1024, always = 65536;
  HL_TRY(const Index elements, element_count(tensor.shape));
  const auto out = [&] {
    return fail("its {} at stride ({}) from {} on are not within its storage of {} elements", to_string(tensor.shape),
                fmt::join(tensor.strides, ", "), tensor.offset, tensor.count);
  };
  if (tensor.count < 0 || tensor.count > largest || tensor.offset < 0 || tensor.offset > tensor.count) return out();
  Index last = tensor.offset;
  for (std::size_t i = 0; elements > 0 && i < tensor.shape.size(); ++i) {
    const Index steps = tensor.shape[i] - 1, stride = tensor.strides[i];
    if (stride < 0 || (steps > 0 && stride > (tensor.count - last) / steps)) return out();
    last += steps * stride;
  }
  if (elements > 0 && last >= tensor.count) return out();
  if (elements > always && elements / most_repeats > tensor.count)
    return fail("has {} elements of a storage of {}", elements, tensor.count);
  return {};
}

bool is_contiguous(const TorchTensor& tensor) {
  Index stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

Tensor gather_strided(const TorchTensor& tensor, const Tensor& piece) {
  Tensor result = Tensor::uninitialized(tensor.shape);
  std::vector<Index> index(tensor.shape.size(), 0);
  Index from = 0;
  for (Index to = 0; to < result.size(); ++to) {
    result[to] = piece[from];
    for (std::size_t axis = index.size(); axis-- > 0;) {
      from += tensor.strides[axis];
      if (++index[axis] < tensor.shape[axis]) break;
      from -= tensor.strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace headlight
