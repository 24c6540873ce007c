// Weights made by hand for pictures, frames and signals: heads whose behaviour is known before they run.
//
// They go through the same projections, scores and softmax as any weights, and read the channels of inputs/features.h.
// A dot product can carry a squared distance, −β|a − b|² = 2β a·b − β|b|² − β|a|², whose last part is the query's alone
// and which softmax forgets: so "the same colour" and "so far above" are exact.
//
// Each makes those weights that nobody gave and names the heads; false when the input is not described so, or the heads
// are too narrow.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

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
