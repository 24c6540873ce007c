// Weights made by hand for text where queries and keys are turned by their places: what tells a place is the turn.
#pragma once

#include <functional>
#include <vector>

#include "engine/variants/variant.h"

namespace headlight {

// How the channels of a head turn.
struct TurningRoom {
  std::vector<double> frequencies;  // of each pair, radians a place
  bool interleaved = false;
  Index d_head = 0;

  Index pairs() const { return static_cast<Index>(frequencies.size()); }
  Index first_of(Index pair) const { return interleaved ? 2 * pair : pair; }
  Index second_of(Index pair) const { return interleaved ? 2 * pair + 1 : pair + pairs(); }
  // Channels that a sentence hardly turns, the slowest first: words are read there. All, where every one turns fast.
  std::vector<Index> still() const;
};
// Without pairs where nothing turns.
TurningRoom turning_room(const Problem& problem);

// Writes what a pair of channels reads of a channel that is the same in every token: `q` and `k` get size · (cos, sin)
// of the angle that they point to before the turn.
using WritePair = std::function<void(Index pair, double strength, double back)>;

// Score: Σ s_c cos((j − i + back) θ_c), highest `back` places before the query, lower by `drop` one place beside that.
// Fast pairs tell neighbours apart, and slower ones what is as far as a fast one's whole turn.
void look_back_by_turning(const TurningRoom& room, double back, double drop, const WritePair& write);
// Score: a bell round the query's own place whose standard deviation is `width` places, by pairs too slow to repeat
// within a sentence.
void look_around_by_turning(const TurningRoom& room, double width, const WritePair& write);

}  // namespace headlight
