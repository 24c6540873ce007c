// Views of plain floats as Eigen's matrices, for the files that are compiled for one instruction set. They define
// KERNEL_SET (a namespace) and are compiled with Eigen's namespace renamed (-DEigen=Eigen_<set>): Eigen's functions are
// weak templates, and of two that are called alike the linker would keep one for the whole program, which then dies on
// a processor without its instructions. A test reads the objects' symbols.
#pragma once

#define EIGEN_DONT_PARALLELIZE  // math.h has threads of its own
#include <Eigen/Core>

#include "engine/math/kernels.h"
#include "engine/math/packets_eigen.h"

namespace headlight::math::KERNEL_SET {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using Target = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using Row = Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>;
using TargetRow = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>;

View view(const Block& block, Index rows, Index columns) {
  return {block.data, rows, columns, Eigen::OuterStride<>(block.stride)};
}

Target target(const Product& p) {
  return {p.out, p.rows, p.columns, Eigen::OuterStride<>(p.out_stride)};
}

// What follows the sums of a product.
void finish(const Product& p) {
  if (p.bias) target(p).array().rowwise() += Row(p.bias, p.columns);
  if (p.relu) target(p) = target(p).cwiseMax(0.0F);  // NaN stays NaN
}

}  // namespace

}  // namespace headlight::math::KERNEL_SET
