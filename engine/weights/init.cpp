#include "engine/weights/init.h"

#include <algorithm>
#include <cmath>

#include "engine/core/random.h"

namespace headlight {

namespace {

void fill_identity(Tensor& tensor) {
  std::ranges::fill(tensor.values(), 0.0F);
  if (tensor.rank() < 2) return;
  const Index rows = tensor.dim(-2), columns = tensor.dim(-1);
  const Index planes = tensor.size() / std::max<Index>(1, rows * columns);
  for (Index plane = 0; plane < planes; ++plane)
    for (Index c = 0; c < columns; ++c)
      if (const Index row = (plane * columns + c) % std::max(rows, planes * columns); row < rows)
        tensor[(plane * rows + row) * columns + c] = 1;
}

}  // namespace

void fill_init(Tensor& tensor, std::string_view init, std::uint64_t seed, std::string_view array_id, Index fan_in,
               Index fan_out) {
  Random random(seed, array_id);
  const double fans = static_cast<double>(fan_in + fan_out);
  if (init == "identity") {
    fill_identity(tensor);
  } else if (init == "xavier_uniform") {
    const double bound = std::sqrt(6 / fans);
    for (float& x : tensor.values()) x = static_cast<float>((2 * random.uniform() - 1) * bound);
  } else if (init == "xavier_normal" || init == "normal") {
    const double deviation = init == "normal" ? 1 / std::sqrt(static_cast<double>(fan_in)) : std::sqrt(2 / fans);
    for (float& x : tensor.values()) x = static_cast<float>(random.normal() * deviation);
  } else {
    std::ranges::fill(tensor.values(), 0.0F);
  }
}

}  // namespace headlight
