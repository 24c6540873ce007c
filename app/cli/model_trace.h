// headlight trace, of a model.
#pragma once

#include "app/cli/commands.h"

namespace headlight::app {

// Whether a path is a folder, or a file whose experiment names a model.
bool is_of_model(const std::filesystem::path& path);

// The experiment of a model's folder that reads what is given, or of a file, which says itself what it reads; of "-"
// of what came by standard input.
Result<ModelExperiment> model_experiment_of(const std::filesystem::path& path, const ModelGiven& given,
                                            const std::string& standard_input);

// Errors: it is no .npz, nor "-".
Status check_steps_file(const std::filesystem::path& output);

// Runs the model and writes its steps; `given` is what came by standard input, and empty where the options name a file.
Status trace_model(const TraceOptions& options, const std::string& given);

// An error where options are given that only a model has.
Status check_not_of_model(const TraceOptions& options);

}  // namespace headlight::app
