#include "engine/core/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <new>

#include "engine/core/large_blocks.h"

namespace headlight {

namespace {
constexpr std::align_val_t alignment{64};       // a cache line, and the widest vector register
constexpr Index max_elements = Index{1} << 40;  // 4 TiB of float32: more than any machine that runs this

// The allocator itself keeps small ones for the next run.
float* memory_for(std::size_t bytes) {
  return static_cast<float*>(bytes < large_blocks::least ? ::operator new[](bytes, alignment)
                                                         : large_blocks::allocate(bytes));
}

}  // namespace

void Tensor::Free::operator()(float* p) const {
  bytes < large_blocks::least ? ::operator delete[](p, alignment) : large_blocks::deallocate(p, bytes);
}

std::string to_string(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

Result<Index> element_count(const Shape& shape) {
  Index count = 1;
  bool empty = false;
  for (const Index extent : shape) {
    if (extent < 0) return fail("shape {} has a negative extent", to_string(shape));
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (count > max_elements / extent) return fail("shape {} has too many elements to hold", to_string(shape));
    count *= extent;
  }
  return empty ? 0 : count;
}

Tensor Tensor::uninitialized(Shape shape) {
  const auto count = element_count(shape);
  assert(count);
  Tensor tensor;
  tensor.shape_ = std::move(shape);
  tensor.size_ = *count;
  const auto bytes = std::max<std::size_t>(1, static_cast<std::size_t>(*count)) * sizeof(float);
  tensor.data_ = {memory_for(bytes), Free{bytes}};
  return tensor;
}

Tensor::Tensor(Shape shape) : Tensor(uninitialized(std::move(shape))) {
  std::fill_n(data_.get(), size_, 0.0F);
}

Tensor Tensor::from(Shape shape, std::span<const float> values) {
  Tensor tensor = uninitialized(std::move(shape));
  assert(static_cast<Index>(values.size()) == tensor.size_);
  std::copy(values.begin(), values.end(), tensor.data_.get());
  return tensor;
}

Tensor::Tensor(const Tensor& other) {
  if (other.data_) *this = from(other.shape_, other.values());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Index Tensor::dim(Index axis) const {
  if (axis < 0) axis += rank();
  assert(axis >= 0 && axis < rank());
  return shape_[static_cast<std::size_t>(axis)];
}

float Tensor::at(std::initializer_list<Index> index) const {
  return (*this)[flat_at_index(shape_, {index.begin(), index.size()})];
}

Tensor Tensor::reshaped(Shape shape) && {
  assert(element_count(shape) && *element_count(shape) == size_);
  shape_ = std::move(shape);
  return std::move(*this);
}

Index flat_at_index(const Shape& shape, std::span<const Index> index) {
  assert(index.size() == shape.size());
  Index flat = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    assert(index[axis] >= 0 && index[axis] < shape[axis]);
    flat = flat * shape[axis] + index[axis];
  }
  return flat;
}

std::vector<Index> index_at_flat(const Shape& shape, Index flat) {
  std::vector<Index> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

}  // namespace headlight
