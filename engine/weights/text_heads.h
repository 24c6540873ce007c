// Weights made by hand for text, pictures, frames and signals: heads whose behaviour is known before they run.
//
// They go through the same projections, scores and softmax as any weights. What they read is the channel layout of
// inputs/text.h and inputs/features.h and the sinusoids of math/positions.h. A dot product can carry a squared
// distance, −β|a − b|² = 2β a·b − β|b|² − β|a|², whose last part is the query's alone and which softmax forgets: so
// "the same colour" and "so far above" are exact. Each function is false where the input is not of its kind, or heads
// are too narrow.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "engine/variants/variant.h"

namespace headlight {

// Makes those of w_q, w_k, w_v (M, d, d') and w_o (M·d', d_out) that nobody gave, and names the heads: previous token,
// same token, induction, first-token sink, local window, two back, function words, broad; more heads repeat them,
// softer each time. False when the input is not embedded text, or too narrow to hold what the heads read (16 channels).
bool fill_text_heads(Problem& problem);

// additive: the same token. key_content_only: function words, content words, the first token, punctuation.
bool fill_text_additive(Problem& problem);
bool fill_text_keys(Problem& problem);

// Zeros of that shape for an array that nobody gave and that is to be made; null where there is nothing to make.
std::shared_ptr<Tensor> array_to_make(const Problem& problem, const char* id, Shape shape);

// Puts the arrays that were made into the problem.
void store_arrays(Problem& problem, std::initializer_list<std::pair<const char*, std::shared_ptr<Tensor>>> made);

// Pictures and frames: same colour, same row, an offset above, colour nearby, same column, nearby, bright spots, left
// neighbour. Signals: same value, previous sample, neighbours, same value nearby. More heads repeat them, softer.
bool fill_textbook_described_heads(Problem& problem);     // multi_head
bool fill_textbook_described_additive(Problem& problem);  // additive: same colour, or same value
bool fill_textbook_described_keys(Problem& problem);      // key_content_only
bool fill_textbook_non_local(Problem& problem);           // also for embedded text
bool fill_textbook_memory_block(Problem& problem);
// Content through q·k, and positions through tables that all heads share: in each half of the query's channels, the
// first two meet tables (distance, and distance to the offset) and the next two the key's colour. To weigh content
// against position, multiply the two scores, not these.
bool fill_textbook_stand_alone(Problem& problem);

}  // namespace headlight
