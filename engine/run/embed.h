// All that an experiment reads, put into the experiment itself.
//
// Not for how that stands in its file: io/experiment_inputs.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"

namespace headlight {

struct ToEmbed {
  std::string name;  // in the experiment: its path in the folder, or its own name where it lies elsewhere
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

// What the experiment reads, each file once; those that it carries already too. Errors: one that cannot be read, a
// folder of weights, weights with a config.json beside them, an index of shards, a model; over the limits of
// experiment_inputs.h.
Result<std::vector<ToEmbed>> files_to_embed(const Experiment& experiment);

// Bytes that those files make in JSON.
std::uint64_t embedded_size(const std::vector<ToEmbed>& files);

// The experiment with all of that in itself: it then reads no other file. A folder of frames becomes the list of its
// pictures. Errors as above.
Result<Experiment> embedded(const Experiment& experiment);

}  // namespace headlight
