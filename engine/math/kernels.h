// The loops whose speed matters, compiled from one source for several instruction sets and chosen at start.
//
// All sets give the same numbers to the last bit: sums run in one order and nothing is contracted into fused
// multiply-adds. That costs part of the processor's peak and buys traces that are equal on every machine.
//
// Not for variants: they use math.h, which splits the work over threads and calls these.
#pragma once

#include <string_view>

#include "engine/core/tensor.h"

namespace headlight::math {

// a (rows, inner) · `groups` matrices b (inner, columns), such as the projections of all heads.
// Element (k, c) of group g is b[(g · inner + k) · columns + c], or b[(g · columns + c) · inner + k] where transposed.
// Element (row r, column c) of the result goes to out[g · group_stride + r / batch_rows · batch_stride + r % batch_rows
// · columns + c], so that rows (B·n) can be written as (B, M, n, d').
struct Product {
  const float* a = nullptr;
  const float* b = nullptr;
  bool transposed = false;
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  Index groups = 1;
  const float* bias = nullptr;  // (groups, columns), or null
  bool relu = false;
  float* out = nullptr;
  Index batch_rows = 0;
  Index batch_stride = 0;
  Index group_stride = 0;
};

struct Kernels {
  const char* name = "";  // "avx512", "avx2", "baseline"
  Index lanes = 0;        // floats in a vector register
  Index panel = 0;        // columns that are worked on at once: 2 · lanes

  // Rows [row_begin, row_end) and panels [panel_begin, panel_end), counted through all groups, of a product.
  // `room` holds the panels of b rearranged: inner · panel floats each. Each number is summed over k in one order,
  // whatever is computed beside it.
  void (*multiply)(const Product& product, Index row_begin, Index row_end, Index panel_begin, Index panel_end,
                   float* room);
  // math.h's softmax and layer_norm for some rows. `in` may be `out`.
  void (*softmax)(const float* in, Index rows, Index n, float* out);
  void (*layer_norm)(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon,
                     float* out);
};

// The fastest set that this processor runs. HEADLIGHT_KERNELS=baseline|avx2|avx512 in the environment asks for another;
// a name that is unknown or that the processor lacks is passed over.
const Kernels& kernels();
// By name; null where this processor or this build lacks it.
const Kernels* kernels_named(std::string_view name);

}  // namespace headlight::math
