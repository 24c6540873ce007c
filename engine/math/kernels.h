// The loops whose speed matters, on Eigen, compiled from one source for several instruction sets and chosen at start.
//
// On one set, results do not depend on how many threads there are, nor on what is computed beside them. Sums of few
// products and norms are the same to the last bit on every set. Longer ones and exponentials may differ in the
// last bits, since some sets fuse a multiplication with the addition after it; all are as near to double precision as
// the tests ask.
//
// Not for variants: they use math.h, which cuts the work into blocks of rows and calls these.
#pragma once

#include <string_view>

#include "engine/core/tensor.h"

namespace headlight::math {

// Products of matrices with up to so many terms in a sum are added up term after term, each rounded: they have the same
// bits on every machine. Longer sums are made as fast as the processor can.
inline constexpr Index few_terms = 32;

// Rows that lie `stride` numbers apart.
struct Block {
  const float* data = nullptr;
  Index stride = 0;
};

// a (rows, inner) · b (inner, columns), where b_transposed · bᵀ with b (columns, inner), + bias (columns) where there
// is one, through max(0, ·) where relu → out (rows, columns), whose rows lie `out_stride` apart. Where `a_transposed`,
// a is (inner, rows), and aᵀ is meant.
struct Product {
  Block a;
  Block b;
  bool b_transposed = false;
  bool a_transposed = false;  // with a b that is not transposed; a long sum, however few its terms
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  const float* bias = nullptr;
  bool relu = false;
  bool adds = false;     // to what out holds; of a long sum, with a b that is not transposed
  bool is_part = false;  // of a long sum, however few its terms
  float* out = nullptr;
  Index out_stride = 0;
};

// What brings a row (d) to one size: where `length` is null its standard deviation, about its mean; else that of its
// sum of so many squares.
struct Norm {
  double epsilon = 0;
  double (*length)(double squares, double count, double epsilon) = nullptr;
  double (*length_slope)(double squares, double count, double epsilon) = nullptr;  // by that sum
};
// What the gradient of a normalised row is made of:
// with z = (x − mean) · by, ∂z_j/∂x_t = by · (δ_jt − shift − bend · z_j z_t).
struct NormSlopes {
  double by = 1, shift = 0, bend = 0;
};
// A row of x (d) whose norm, stretched by gamma (d) or by nothing, is reached by ∂L/∂y (d).
struct NormRow {
  const float *x = nullptr, *gamma = nullptr, *gradient = nullptr;
  Index d = 0;
  double* scratch = nullptr;  // of 2 d numbers
};

// Whether b, of so many terms and columns, is read where it lies: of few columns, which fill registers, that is faster
// than to pack it.
constexpr bool is_read_in_place(Index inner, Index columns) {
  return columns >= 8 && columns <= 64 && columns % 4 == 0 && columns * inner <= 1 << 14;
}

struct Kernels {
  const char* name = "";  // "avx512", "avx2", "baseline"

  void (*multiply)(const Product& product);
  // These have the same bits on every set. Σ a_j b_j of n numbers; out = Σ parts, each of n; z of a row (d);
  // ∂L/∂x of a row; sums (d) += z ⊙ ∂L/∂y.
  double (*dot)(const float* a, const float* b, Index n);
  void (*add_arrays)(const float* const* parts, Index count, Index n, float* out);
  NormSlopes (*normed)(const float* x, Index d, const Norm& norm, double* z);
  void (*norm_gradient)(const NormRow& row, const Norm& norm, float* out);
  void (*add_normed)(const NormRow& row, const Norm& norm, double* sums);
  // math.h's softmax and layer_norm for some rows. `in` may be `out`.
  void (*softmax)(const float* in, Index rows, Index n, float* out);
  void (*layer_norm)(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon,
                     float* out);
  // Widens least and greatest to what the first of n numbers are, as far as all are finite, in whole stretches; returns
  // how many these are.
  Index (*span_of_finite)(const float* in, Index n, float* least, float* greatest);
  // math.h's, of n numbers.
  double (*log_sum_exp)(const float* in, Index n);
  void (*silu)(float* x, Index n);
  void (*gelu)(float* x, Index n);
  void (*gelu_tanh)(float* x, Index n);
  void (*tanh)(float* x, Index n);
  void (*elu_plus_one)(float* x, Index n);
};

// The fastest set that this processor runs. HEADLIGHT_KERNELS=baseline|avx2|avx512 in the environment asks for another;
// a name that is unknown or that the processor lacks is passed over.
const Kernels& kernels();
// From now on, in the whole process, instead: for what is to have the bits of another machine. Not while a run goes on.
void use_kernels(const Kernels& set);
// By name; null where this processor or this build lacks it.
const Kernels* kernels_named(std::string_view name);

}  // namespace headlight::math
