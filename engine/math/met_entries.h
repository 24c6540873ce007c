// Rows of which each meets some neighbouring entries of one table, rows beside each other almost the same: queries and
// what stands for the offset of each key.
#pragma once

#include <memory>

#include "engine/math/math.h"

namespace headlight::math {

class MetEntries {
 public:
  // So many rows at a time are as fast as can be; more meet entries in vain.
  static constexpr Index rows_together = narrow_rows;

  // table (entries, d), which must outlive this.
  MetEntries(const float* table, Index entries, Index d, const Kernels& set = kernels());
  // q (rows, d) · the entries from `first` on → out (rows, step(count)), on the calling thread. Beyond the first
  // `count` of each row stands anything.
  void meet(const float* q, Index rows, Index first, Index count, float* out) const;
  Index step(Index count) const;

 private:
  const float* table_;
  Index d_;
  const Kernels& set_;
  std::unique_ptr<float[]> turned_;  // (d, turned_step_), where sums are long
  Index turned_step_ = 0;
};

}  // namespace headlight::math
