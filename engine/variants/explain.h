// Explanations that more than one variant needs, each made from indices alone: which cells of which arrays a number
// was put together from.
//
// Not for computing: math/ does that, and a test holds the two against each other. Every function returns what
// Recorder::step() wants, a function from a flat cell to its explanation that keeps nothing but sizes and ids.
#pragma once

#include <functional>
#include <string>

#include "engine/core/tensor.h"
#include "engine/trace/explanation.h"

namespace headlight::explain {

using Explain = std::function<Explanation(Index cell)>;

// The epsilon of layer normalisation everywhere in the project: PyTorch's default.
inline constexpr double layer_norm_epsilon = 1e-5;

// The same cell of another array, whatever the shape.
Explain copy(std::string array);

// factor · array, cell by cell; `label` says what the factor is ("1/√8").
Explain scaled(std::string array, double factor, std::string label);

// a + b, cell by cell. b may be one batch for all of them: its size then divides a's, and cells repeat.
Explain sum(std::string a, std::string b, Index size_of_b);

// x (B, n, d_in) · w (M, d_in, d') + b (M, d') → out (B, M, n, d'). No bias: an empty id.
Explain per_head_linear(std::string x, std::string w, std::string b, Shape out, Index d_in);

// x (…, d_in) · w (d_in, d_out) + b (d_out) → (…, d_out), through max(0, ·) where combine is Combine::relu.
// No bias: an empty id.
Explain linear(std::string x, std::string w, std::string b, Index d_in, Index d_out, Combine combine = Combine::sum);

// q (B, M, n_q, d') · kᵀ (B, M, n_k, d') → out (B, M, n_q, n_k).
Explain dot_products(std::string q, std::string k, Shape out, Index d_head);

// Softmax over rows of n cells.
Explain softmax(std::string scores, Index n);

// a (B, M, n_q, n_k) · v (B, M, n_k, d') → out (B, M, n_q, d').
Explain weighted_sum(std::string a, std::string v, Shape out, Index n_k);

// heads (B, M, n, d') → (B, n, M·d'), head-major: channel m·d' + c is channel c of head m.
Explain concatenation(std::string heads, Shape heads_shape);

// Rows of d cells to mean 0 and variance 1, times gamma (d), plus beta (d).
Explain layer_norm(std::string x, std::string gamma, std::string beta, Index d);

}  // namespace headlight::explain
