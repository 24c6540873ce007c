#include "engine/math/met_entries.h"

#include <algorithm>

namespace headlight::math {

namespace {

constexpr Index whole = 16;  // numbers that fill registers of every set

}  // namespace

MetEntries::MetEntries(const float* table, Index entries, Index d, const Kernels& set)
    : table_(table), d_(d), set_(set) {
  if (d <= few_terms) return;  // which are added up in their order
  turned_step_ = entries + whole;
  turned_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(d * turned_step_));
  set.turn(table, entries, d, turned_.get(), turned_step_);
  for (Index c = 0; c < d; ++c) std::fill_n(turned_.get() + c * turned_step_ + entries, whole, 0.0F);
}

Index MetEntries::step(Index count) const {
  return !turned_ ? count : (count + whole - 1) / whole * whole;
}

void MetEntries::meet(const float* q, Index rows, Index first, Index count, float* out) const {
  if (!turned_) return scores(q, table_ + first * d_, 0, rows, rows, count, d_, out, set_);
  set_.multiply_narrow({.a = {q, d_},
                        .b = {turned_.get() + first, turned_step_},
                        .rows = rows,
                        .inner = d_,
                        .columns = step(count),
                        .out = out,
                        .out_stride = step(count)});
}

}  // namespace headlight::math
