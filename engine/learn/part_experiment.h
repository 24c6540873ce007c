// A part of a network on one of its examples as an experiment of its mechanism: every step of it can then be explored,
// compared, drawn and saved as that of any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/learn/network.h"
#include "engine/learn/training.h"

namespace headlight::learn {

// What positions of the example are called: those that ask, and those that are asked where these are others.
struct ExampleLabels {
  std::vector<std::string> queries = {}, keys = {};
};

// One of a batch of examples, as a batch of itself.
Numbers example_of(const Numbers& batch, Index item);

// Of the part that gives that array, on the item of the batch. Numbers are those of the network as it is now, written
// out in the experiment itself.
Experiment experiment_of(const Network& network, std::string_view given, Index item, const ExampleLabels& labels);

// Which part of a training: one of its maps, none the last, on one of the examples held out. Both counted from 0.
struct PartIndex {
  std::optional<Index> map = {};
  Index example = 0;
};
// Error: there is no such map or example; it begins with "map" or "example".
Status check_part(const TrainingPlan& plan, const PartIndex& part);
// That part where the training stands; its notes say which it is. Errors: no room.
Result<Experiment> part_experiment(Training& training, const PartIndex& part, Compute& compute);

}  // namespace headlight::learn
