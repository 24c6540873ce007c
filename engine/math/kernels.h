// The few loops whose speed matters, compiled from one source for several instruction sets and chosen at start.
//
// All sets give the same numbers to the last bit: sums run in one order and nothing is contracted into fused
// multiply-adds. That costs part of the processor's peak and buys traces that are equal on every machine.
//
// Not for variants: they use math.h, which splits the work over threads and calls these.
#pragma once

#include <string_view>

#include "engine/core/tensor.h"

namespace headlight::math {

// How many rows and columns a product works on at once decides how its right side is packed.
struct Kernels {
  std::string_view name;  // "avx512", "avx2", "baseline"
  Index lanes = 0;        // floats in a vector register: the width of a packed panel

  // b (inner, columns), element (k, c) at b[k · row_stride + c · column_stride] → panels of `lanes` columns, each
  // (inner, lanes), the last padded with zeros. `packed` holds packed_size(inner, columns) floats.
  void (*pack)(const float* b, Index inner, Index columns, Index row_stride, Index column_stride, float* packed);
  // a (rows, inner) · packed (inner, columns) + bias (columns, or null) → out (rows, columns), rows `out_stride` apart;
  // through max(0, ·) where relu. Each number is summed over k in order, whatever the rows around it.
  void (*multiply)(const float* a, Index rows, Index inner, const float* packed, Index columns, const float* bias,
                   bool relu, float* out, Index out_stride);
  // Softmax of each row of n: exp(x − max) / Σ exp(x − max). A row of −∞ alone becomes 0; a row with a NaN or +∞
  // becomes NaN.
  void (*softmax)(const float* in, Index rows, Index n, float* out);
};

// The fastest that this processor runs. HEADLIGHT_KERNELS=baseline|avx2|avx512 asks for a slower one.
const Kernels& kernels();
// By name; null where this processor or this build lacks it.
const Kernels* kernels_named(std::string_view name);

inline Index packed_size(const Kernels& k, Index inner, Index columns) {
  return (columns + k.lanes - 1) / k.lanes * k.lanes * inner;
}

}  // namespace headlight::math
