// Random numbers of examples, many at a time, as the reference draws them.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/random.h"
#include "engine/core/tensor.h"

namespace headlight::learn {

class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : random_(seed, name) {}

  double uniform() { return random_.uniform(); }
  // In [0, 1).
  std::vector<double> uniform(Index count);
  // Whole numbers from 0 to below − 1.
  std::vector<Index> integers(Index below, Index count);
  std::vector<double> normal(Index count);
  // Each row the first `kept` of the numbers 0 … count − 1 in an order of its own: the ranks of uniform numbers, the
  // first of equal ones first.
  std::vector<Index> shuffled(Index rows, Index count, Index kept);

 private:
  Random random_;
};

// A tensor made cell by cell.
template <class Make>
std::shared_ptr<Tensor> tensor_of(Shape shape, const Make& make) {
  auto tensor = std::make_shared<Tensor>(std::move(shape));
  for (Index cell = 0; cell < tensor->size(); ++cell) (*tensor)[cell] = static_cast<float>(make(cell));
  return tensor;
}

}  // namespace headlight::learn
