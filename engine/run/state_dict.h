// The layer that an experiment's `weights` take from a state dict: its file found and opened, heads looked up.
//
// Not for what names mean: layouts.h.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/layouts/layouts.h"

namespace headlight {

// Of `experiment.weights->from`, a file, or a folder with config.json and model.safetensors, its index,
// pytorch_model.bin or its index. Heads are those of the parameters where they are set, else those of a config.json in
// the same folder.
Result<LayerOfStateDict> read_layer(const Experiment& experiment);

// Heads as a config.json beside the file says; nothing where it does not.
Result<std::optional<Index>> heads_beside(const std::filesystem::path& file);

}  // namespace headlight
