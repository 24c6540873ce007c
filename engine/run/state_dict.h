// The layer that an experiment's `weights` take from a state dict: its file found and opened, heads looked up.
//
// Not for what names mean: layouts.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/layouts/layouts.h"

namespace headlight {

// Of `experiment.weights->from`, a file, or a folder with config.json and model.safetensors, its index,
// pytorch_model.bin or its index. Heads are those of the parameters where they are set, else those of a config.json in
// the same folder.
Result<LayerOfStateDict> read_layer(const Experiment& experiment);

// What a config.json beside a file says of its layers.
struct ConfigBeside {
  std::string layout = {};                                         // of a model that is run here; empty: of none
  std::string unknown_type = {};                                   // of another model
  Index heads = 0;                                                 // 0: it does not say
  std::map<std::string, Index, std::less<>> heads_of_stacks = {};  // where they have their own

  Index heads_of(const std::string& stack) const;
};
ConfigBeside config_beside_of(const std::filesystem::path& file);
// Of layouts that read the same arrays the config's alone.
std::vector<LayersInFile> layers_of_config(const ArraySource& source, const ConfigBeside& config);

}  // namespace headlight
