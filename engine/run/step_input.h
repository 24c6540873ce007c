// An input that is a step of a model's run: what stands before one of its layers.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/experiment.h"
#include "engine/models/inputs.h"

namespace headlight {

// Runs the model for it. Errors: no such experiment, no such step.
Result<StepNumbers> numbers_of_step(const StepInput& input, const std::filesystem::path& folder);

// The files that its numbers depend on.
std::vector<std::filesystem::path> files_of_step(const StepInput& input, const std::filesystem::path& folder);

// What a model's positions are called, and where they lie on a picture; as in the vocabulary, or as a person reads
// them.
enum class TokenWords { of_vocabulary, shown };
ArrayLabels labels_of_input(const Model& model, const ModelInput& input, TokenWords words = TokenWords::of_vocabulary);

// A layer of a model as an experiment, of what stands before it; paths are whole.
Experiment layer_experiment(const Model& model, Index layer, StepInput input);

}  // namespace headlight
