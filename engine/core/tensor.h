// A dense array of float32 in C (row-major) order. It knows its shape and nothing about what its axes mean.
//
// Not for arithmetic: that is math/. Not for names: that is core/axis.h and trace/step.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/mistake.h"

namespace headlight {

using Index = std::int64_t;
using Shape = std::vector<Index>;

// "(2, 12, 32)".
std::string to_string(const Shape& shape);

// Number of elements, or an error when an extent is negative or the product does not fit in memory's address space.
Result<Index> element_count(const Shape& shape);

class Tensor {
 public:
  Tensor() = default;
  // All elements zero. The shape must be one that element_count() accepts.
  explicit Tensor(Shape shape);
  // Elements are left unset; the caller writes every one of them.
  static Tensor uninitialized(Shape shape);
  // values.size() must be the product of the shape.
  static Tensor from(Shape shape, std::span<const float> values);

  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;

  const Shape& shape() const { return shape_; }
  Index rank() const { return static_cast<Index>(shape_.size()); }
  // Extent of an axis; negative counts from the last.
  Index dim(Index axis) const;
  Index size() const { return size_; }

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> values() { return {data_.get(), static_cast<std::size_t>(size_)}; }
  std::span<const float> values() const { return {data_.get(), static_cast<std::size_t>(size_)}; }
  float& operator[](Index flat) { return data_[checked(flat)]; }
  float operator[](Index flat) const { return data_[checked(flat)]; }
  // Element at a full index, one number an axis.
  float at(std::initializer_list<Index> index) const;

  // The same elements under another shape of the same size.
  Tensor reshaped(Shape shape) &&;

 private:
  // In the trees for debugging and sanitizing a place outside ends the program; elsewhere loops pay for no check.
  std::size_t checked(Index flat) const {
#ifdef HEADLIGHT_BOUNDS
    if (flat < 0 || flat >= size_) mistake("number {} of a tensor of shape {}", flat, to_string(shape_));
#endif
    return static_cast<std::size_t>(flat);
  }

  struct Free {
    std::size_t bytes;
    void operator()(float* p) const;
  };
  Shape shape_;
  Index size_ = 0;
  std::unique_ptr<float[], Free> data_;  // 64-byte aligned; large ones in huge pages, where the system has them
};

// Flat position of a full index and back, for a shape in C order.
Index flat_at_index(const Shape& shape, std::span<const Index> index);
std::vector<Index> index_at_flat(const Shape& shape, Index flat);

}  // namespace headlight
