// Runs that a class can do on paper: four words, queries, keys and values of two small whole numbers, one head.
//
// Every score is a sum such as 2·2 + 1·1 = 5, no two scores of a word are the same, and no weight is so small that it
// is lost in rounding.
#pragma once

#include <cstdint>

#include "engine/io/experiment.h"

namespace headlight::app {

// The run of that number, from 1, of those that the seed draws; its view names the query that is asked about.
Result<Experiment> by_hand_experiment(std::uint64_t seed, int number);

}  // namespace headlight::app
