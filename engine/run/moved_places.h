// The same experiment with every token standing further on, to see what that changes.
#pragma once

#include <optional>

#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

// Shifts all positions by `by`: rotary and sinusoidal ones exactly, the rows of a learned table in a circle. Relative
// terms and masks do not change. `problem` is what the experiment became. Nothing if no such position is read, or only
// one query is computed.
std::optional<Experiment> with_positions_shifted(const Experiment& experiment, const Problem& problem, Index by);

// Gives an experiment made of this run the weights of queries and keys that were made by hand for it: under other
// choices others would be made. Nothing where none were.
void keep_made_weights(Experiment& experiment, const Problem& problem);

// Whether its scores know nothing of places, so far as that can be told.
bool ignores_positions(const Problem& problem);

}  // namespace headlight
