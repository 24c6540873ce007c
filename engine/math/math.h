// The functions that variants are made of, over plain floats in C order.
//
// Not for names or explanations: variants/ has those. Every function splits its work over the threads of `compute`,
// writes each output number on one thread in one order (so results do not depend on how many threads there are), and
// leaves early, with its output unfinished, once the computation is cancelled. Sizes are at least 1. Outputs must not
// overlap inputs unless it says so. NaN and infinities go through products and sums as IEEE 754 has it.
#pragma once

#include <vector>

#include "engine/core/axis.h"
#include "engine/core/parallel.h"
#include "engine/math/kernels.h"

namespace headlight::math {

// x (B, n, d_in) · w (M, d_in, d') + bias (M, d'), or null → out (B, M, n, d').
// Vaswani et al. 2017, Attention Is All You Need, section 3.2.2.
void project(Compute& compute, const float* x, const float* w, const float* bias, Index batches, Index n, Index d_in,
             Index heads, Index d_head, float* out, const Kernels& set = kernels());

// x (rows, d_in) · w (d_in, d_out) + bias (d_out), or null → out (rows, d_out), through max(0, ·) where relu.
void linear(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index d_in, Index d_out,
            bool relu, float* out, const Kernels& set = kernels());

// g (rows, d_out) · wᵀ (d_in, d_out) → out (rows, d_in), and xᵀ (rows, d_in) · g (rows, d_out) → out (d_in, d_out):
// what linear() hands back to x, and to w.
void linear_back(Compute& compute, const float* g, const float* w, Index rows, Index d_in, Index d_out, float* out,
                 const Kernels& set = kernels());
void products_of_rows(Compute& compute, const float* x, const float* g, Index rows, Index d_in, Index d_out, float* out,
                      const Kernels& set = kernels());
// xᵀ g of some columns of x, whose rows lie `stride` numbers apart, on the calling thread.
void products_of_rows(const float* x, Index stride, const float* g, Index rows, Index d_in, Index d_out, float* out,
                      const Kernels& set = kernels());

// q (planes, n_q, d') · kᵀ (planes, n_k, d') → out (planes, n_q, n_k), planes = B·M: of all planes·n_q rows those from
// begin to end − 1, on the calling thread. Vaswani et al. 2017, equation 1, before the scale.
void dot_products(const float* q, const float* k, Index begin, Index end, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set = kernels());

// a (planes, n_q, n_k) · v (planes, n_k, d') → out (planes, n_q, d'), the same rows of it.
void weighted_sum(const float* a, const float* v, Index begin, Index end, Index n_q, Index n_k, Index d_head,
                  float* out, const Kernels& set = kernels());

// tanh(q (planes, n_q, h) + k (planes, n_k, h)) for every pair → out (planes, n_q, n_k, h).
// Bahdanau, Cho and Bengio 2015, appendix A.1.2.
void tanh_of_sums(Compute& compute, const float* q, const float* k, Index planes, Index n_q, Index n_k, Index h,
                  float* out, const Kernels& set = kernels());

// Softmax over each row of n: exp(x − max) / Σ exp(x − max); out may be in. A row of −∞ alone becomes 0; a row with a
// NaN or +∞ becomes NaN.
void softmax(Compute& compute, const float* in, Index rows, Index n, float* out, const Kernels& set = kernels());
// The same for rows begin to end − 1, on the calling thread, which reads them next.
void softmax(const float* in, Index begin, Index end, Index n, float* out, const Kernels& set = kernels());

// (x − mean) / √(variance + epsilon) · gamma + beta over each row of d, with the variance over d (not d − 1); out may
// be x. Mean and variance are summed in double precision.
// Ba, Kiros and Hinton 2016, Layer Normalization, equation 3.
void layer_norm(Compute& compute, const float* x, const float* gamma, const float* beta, Index rows, Index d,
                float epsilon, float* out, const Kernels& set = kernels());

// ln Σ exp(x) over a row of n, on the calling thread; NaN where there is one, or +∞, or −∞ alone.
double log_sum_exp(const float* row, Index n, const Kernels& set = kernels());

// In place, size numbers: x / (1 + exp(−x)), x · Φ(x), and x · ½ (1 + tanh(√(2/π) (x + 0.044715 x³))).
// Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2.
void silu(Compute& compute, float* x, Index size, const Kernels& set = kernels());
void gelu(Compute& compute, float* x, Index size, const Kernels& set = kernels());
void gelu_tanh(Compute& compute, float* x, Index size, const Kernels& set = kernels());
// Likewise, on the calling thread.
void tanh(float* x, Index size, const Kernels& set = kernels());
// x + 1 of x above 0, else exp(x): the features of Katharopoulos et al. 2020, section 3.2.1. On the calling thread.
void elu_plus_one(float* x, Index size, const Kernels& set = kernels());

// heads (B, M, n, d') → out (B, n, M·d'), head-major.
void concat_heads(Compute& compute, const float* heads, Index batches, Index head_count, Index n, Index d_head,
                  float* out);

// out = a + b, out = a · factor, out = a · a_factor + b · b_factor, out = a · kept · factor, out = max(0, a); size
// numbers each. out may be a.
void add(Compute& compute, const float* a, const float* b, Index size, float* out);
void scale(Compute& compute, const float* a, float factor, Index size, float* out);
// The same on the calling thread.
void add(const float* a, const float* b, Index size, float* out);
void scale(const float* a, float factor, Index size, float* out);
void linear_combination(Compute& compute, const float* a, float a_factor, const float* b, float b_factor, Index size,
                        float* out);
void dropout(Compute& compute, const float* a, const float* kept, float factor, Index size, float* out);
void relu(Compute& compute, const float* a, Index size, float* out);

// x (batches, rows, columns) → out (batches, columns, rows).
void transpose(Compute& compute, const float* x, Index batches, Index rows, Index columns, float* out);

// x (rows, c_in) · wᵀ (c_out, c_in) + bias (c_out), or null → out (rows, c_out): a convolution of extent 1, whose
// weights stand the other way round than linear()'s.
void pointwise(Compute& compute, const float* x, const float* w, const float* bias, Index rows, Index c_in, Index c_out,
               float* out, const Kernels& set = kernels());

// x (batches, positions of `grid`, channels) → out (batches, positions of the pooled grid, channels): the largest of
// each `cell` of the grid, a NaN where it holds one. Extents are divided rounding down; what is left over is not read.
void max_pool(Compute& compute, const float* x, Index batches, const Grid& grid, const Grid& cell, Index channels,
              float* out);

// (x − mean) / √(variance + epsilon) · gamma + beta for each channel of x (batches, channels, n), with statistics that
// are given; out may be x. Ioffe and Szegedy 2015, Batch Normalization, algorithm 2.
void batch_norm(Compute& compute, const float* x, const float* gamma, const float* beta, const float* mean,
                const float* variance, double epsilon, Index batches, Index channels, Index n, float* out);

// a (planes, n_q), b (planes, n_k) → out (planes, n_q, n_k) = max(0, a_i + b_j).
void relu_of_sums(Compute& compute, const float* a, const float* b, Index planes, Index n_q, Index n_k, float* out);

}  // namespace headlight::math
