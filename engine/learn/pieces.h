// What stands round attention in a network that learns, as mechanisms that are not listed: their steps have numbers,
// formulas, explanations and gradients like any other.
#pragma once

#include "engine/variants/variant.h"

namespace headlight::learn {

// at (B, n), whole numbers; table (V, d) → "rows" (B, n, d).
const Variant& table_piece();
// x (B, n, d), ln_gamma (d), ln_beta (d) → "output" (B, n, d).
const Variant& norm_piece();
// x (B, n, d), y (B, n, d) → "output" (B, n, d): a residual path where a block has none.
const Variant& sum_piece();
// x (B, n, d) or (B, 1, n, d), w (d, V), perhaps b (V) or (n, V) → "output" (B, n, V) or (B, 1, n, V).
const Variant& read_out_piece();
// logits (B, n, V), answers (B, n), −1 where nothing is asked → "loss" (1), beside "probabilities" and "surprise".
const Variant& cross_entropy_piece();
// output, answers and asked (1 or 0), of one shape of up to five axes → "loss" (1).
const Variant& mean_square_piece();

}  // namespace headlight::learn
