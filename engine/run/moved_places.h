// The same experiment with every token standing further on, to see what that changes.
#pragma once

#include <optional>

#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

// Everything that tells a place by its number is moved by `by`: the circle of rotary positions begins there, sinusoids
// are those of the places `by` further on, and rows of another table are taken in a circle, as it ends. Terms by
// distance read differences of places alone, and there is nothing to move in them. What masks hide stays as it is.
// `problem` is what the experiment became. Nothing where no place is
// read at all, or one query alone is computed.
std::optional<Experiment> with_positions_shifted(const Experiment& experiment, const Problem& problem, Index by);

// Gives an experiment made of this run the weights of queries and keys that were made by hand for it: under other
// choices others would be made. Nothing where none were.
void keep_made_weights(Experiment& experiment, const Problem& problem);

// Whether its scores know nothing of places, so far as that can be told.
bool ignores_positions(const Problem& problem);

}  // namespace headlight
