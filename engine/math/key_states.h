// What linear attention keeps of keys and values: sums of products of their numbers, which queries read.
// Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
//
// As in math.h: work is split over the threads of `compute`, and each number is summed by one of them in one order.
#pragma once

#include <vector>

#include "engine/math/extent.h"
#include "engine/math/math.h"

namespace headlight::math {

// k (planes, n, D), v (planes, n, d') → out (planes, D, d'): Σ_j k_j v_jᵀ over all keys j.
void key_states(Compute& compute, const float* k, const float* v, Index planes, Index n, Index features, Index width,
                float* out, const Kernels& set = kernels());

// The same of the keys up to each of so many rows; row 0 stands at the key `first`, and rows past the last key have
// all. Sums of 32 keys are added up in double precision.
struct RunningStates {
  const float* k = nullptr;  // (planes, n, D)
  const float* v = nullptr;  // (planes, n, d')
  const float* q = nullptr;  // (planes, rows, D)
  Index planes = 1, n = 1, features = 1, width = 1, first = 0, rows = 1;
  float* states = nullptr;  // (planes, rows, D, d')
  float* read = nullptr;    // (planes, rows, d'): what read_key_states() makes of them, made while each is near
};
// Returns what the states of each plane span.
std::vector<Extent> running_key_states(Compute& compute, const RunningStates& running, const Kernels& set = kernels());

// q (planes, rows, D) · state (planes, D, d') → out (planes, rows, d').
void read_key_state(Compute& compute, const float* q, const float* state, Index planes, Index rows, Index features,
                    Index width, float* out, const Kernels& set = kernels());

// q (rows, D) · states (rows, D, d'), each row its own → out (rows, d').
void read_key_states(Compute& compute, const float* q, const float* states, Index rows, Index features, Index width,
                     float* out, const Kernels& set = kernels());

}  // namespace headlight::math
