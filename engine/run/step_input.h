// An input that is a step of a model's run: what stands before one of its layers.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/models/inputs.h"

namespace headlight {

// Runs the model for it. Errors: no such experiment, no such step.
Result<StepNumbers> numbers_of_step(const StepInput& input, const std::filesystem::path& folder);

// The files that its numbers depend on.
std::vector<std::filesystem::path> files_of_step(const StepInput& input, const std::filesystem::path& folder);

// What the positions of a part's stack are called, and where they lie on a picture; as in the vocabulary, or as a
// person reads them.
enum class TokenWords { of_vocabulary, shown };
ArrayLabels labels_of_input(const StoredModel& model, const ModelInput& input, ModelPart part,
                            TokenWords words = TokenWords::of_vocabulary);

// Which arrays of its mechanism a layer reads: the stream before it, of one that asks an encoder what that made, and
// what is added to queries and keys for where they stand.
struct LayerInputs {
  std::string stream, memory, places;  // ids; the latter two are empty where there is none
};
LayerInputs inputs_of_layers(const std::string& variant);

// The step that a decoder asks: the encoder's last norm, or where there is none what its last layer gives.
std::string step_of_memory(const ModelPlan& plan);

// What layers add to their queries and keys, where a model has a table of it: a step of its run.
inline constexpr const char* step_of_places = "positions";

// A layer of a model as an experiment, of what stands before it, and where it asks an encoder of what that made, or
// adds positions, of these; paths are whole.
Experiment layer_experiment(const StoredModel& model, LayerOfModel layer, StepInput stream,
                            std::optional<StepInput> memory = {}, std::optional<StepInput> places = {});

}  // namespace headlight
