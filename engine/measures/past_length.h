// How far the positions of a run reach: what a longer input would meet that this one has not.
#pragma once

#include <optional>

#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight {

// Of the length that the run has. Each part is there where its kind of position is.
struct PastLength {
  Index length = 0;  // places from the first query or key to the last

  // Rotary: pairs of channels that turn, and those of them whose arrow does not come round a full circle within the
  // length, 2π / θ > length: a longer input turns them to angles that none here has (Peng et al. 2023, YaRN, section
  // 3.2).
  Index rotary_pairs = 0, not_round = 0;

  // T5, Shaw: pairs of a query and a key that a causal mask, if any, lets see each other; and those of them that share
  // the last entry of their side of the table, as all that lies farther does: the last bucket, or a distance beyond
  // `clip`.
  Index pairs = 0, past_table = 0;

  // Added to the table's own places: learned ones have no entry for the next.
  enum class Codes { none, sinusoidal, learned } codes = Codes::none;
};

// Nothing where scores know no places, or where one query alone is computed.
std::optional<PastLength> past_length(const Problem& problem, const Trace& trace);

// ALiBi: what the head adds to the score of a key `distance` places away, −slope · distance. Nothing with another term.
std::optional<double> alibi_bias_at(const Problem& problem, const Trace& trace, Index head, Index distance);

}  // namespace headlight
