// What networks that learn have before and after attention: rows of a table, and how far from the answers an output is.
//
// As in ops.h, each stands in a file of its own with all that is said of it.
#pragma once

#include "engine/ops/ops.h"

namespace headlight::ops {

// table (V, d) at the whole numbers of `at` (B, n) → (B, n, d).
Operation lookup_rows(const Array& table, const Array& at);

// −ln of the probability of the answer: logits and probabilities (B, n, V), answers (B, n), which are whole numbers
// below V, or −1 where nothing is asked → (B, n), 0 there. Made from the logits, so that nothing is lost near 0 and 1.
Operation cross_entropy(const Array& logits, const Array& probabilities, const Array& answers);
// Its mean over what is asked → (1).
Operation mean_of_asked(const Array& surprise, const Array& answers);

// output − answers, of one shape.
Operation difference(const Array& output, const Array& answers);
// Σ asked · difference² / Σ asked, of one shape → (1).
Operation mean_square(const Array& difference, const Array& asked);

}  // namespace headlight::ops
