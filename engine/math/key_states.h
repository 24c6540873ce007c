// What linear attention keeps of keys and values: sums of products of their numbers, which queries read.
// Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
//
// As in math.h: work is split over the threads of `compute`, and each number is summed by one of them in one order.
#pragma once

#include <functional>

#include "engine/math/math.h"

namespace headlight::math {

// k (planes, n, D), v (planes, n, d') → out (planes, D, d'): Σ_j k_j v_jᵀ over all keys j.
void key_states(Compute& compute, const float* k, const float* v, Index planes, Index n, Index features, Index width,
                float* out, const Kernels& set = kernels());

// The same of the keys up to each of so many rows → out (planes, rows, D, d'); row 0 stands at the key `first`, and
// rows past the last key have all. Sums of 32 keys are added up in double precision. Tells of each of all planes' rows
// once its state is there, while that is near: on the thread that made it, those of one plane in their order.
using StateMade = std::function<void(Index row, const float* state)>;
void running_key_states(Compute& compute, const float* k, const float* v, Index planes, Index n, Index features,
                        Index width, Index first, Index rows, float* out, const StateMade& made = {},
                        const Kernels& set = kernels());

// q (planes, rows, D) · state (planes, D, d') → out (planes, rows, d').
void read_key_state(Compute& compute, const float* q, const float* state, Index planes, Index rows, Index features,
                    Index width, float* out, const Kernels& set = kernels());

// q (D) · state (D, d') → out (d'), on the calling thread.
void read_one_key_state(const float* q, const float* state, Index features, Index width, float* out,
                        const Kernels& set = kernels());

// q (rows, D) · states (rows, D, d'), each row its own → out (rows, d').
void read_key_states(Compute& compute, const float* q, const float* states, Index rows, Index features, Index width,
                     float* out, const Kernels& set = kernels());

}  // namespace headlight::math
