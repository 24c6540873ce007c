// What gradients of pictures, signals and videos are made of, channels first as in picture_ops.h; the others are in
// backward.h.
#pragma once

#include <vector>

#include "engine/ops/picture_ops.h"

namespace headlight::ops {

// An operation that gives (B, N, C), or (B, 1, N, C) → (B, C, …), the axes of `like`.
Operation back_to_positions(Operation rows, const Array& like);
// The axes (B, N, C) that such an operation has.
Array rows_like(const Positions& x);
// g (B, C, …) → (B, n, C), (B, 1, n, C) or, of M·d' channels, (B, M, n, d'): the axes given.
Operation channels_as_rows(const Array& g, std::vector<Axis> axes);
// xᵀ g, summed over positions and the batch: g (B, M, N, d') gives (M, C, d'), g (B, 1, N, C') gives (C', C).
Operation products_of_positions(const Positions& x, const Array& g, const Array& like);

// factor · [of_rows · rows; of_columns · columns] for each query: of_rows (B, M, n_q, H), rows (H, H, c), of_columns
// (B, M, n_q, W), columns (W, W, c) → (B, M, n_q, 2c).
Operation offset_queries_back(const Array& of_rows, const Array& of_columns, const Offsets& offsets,
                              const Factor& factor, const Array& like);
// factor · of_sideᵀ q, summed over the queries at each place of the side, of of_side (B, M, n_q, P) and one half of q
// (B, M, n_q, 2c) → (P, P, c).
Operation staircase_back(const Array& of_side, const Array& q, bool rows_of_picture, const Offsets& offsets,
                         const Factor& factor, const Array& like);
// g (n, n, c) summed along its diagonals → (2P − 1, c).
Operation sum_diagonals(const Array& g, const Array& like);

}  // namespace headlight::ops
