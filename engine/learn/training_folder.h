// The folder of a training, which can be gone on from: config.json says what was learned and how far, state.safetensors
// is where it stands, model.safetensors the weights alone, losses.csv, figures.csv and rates.csv the curves, and
// snapshots/ what it was on the way. A network that is a stack of layers opens as a model (models/trained.cpp):
// config.json says how it is built, and tokenizer.json what its symbols are called.
//
// Each file takes its place whole; where it stands is one file, so that a training that was killed goes on from it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/learn/training.h"

namespace headlight::learn {

struct Curves {
  std::vector<double> losses;             // of each step's examples, before it
  std::map<Index, Figures> figures = {};  // on held-out examples, by step
  Schedule schedule = {};                 // only where something was
};

// "step,loss", all digits that a float32 has.
std::string losses_as_csv(const Curves& curves);

Status write_training(const std::filesystem::path& folder, const Training& training, const Curves& curves);
Status write_snapshot(const std::filesystem::path& folder, const Snapshot& snapshot);

struct OpenedTraining {
  TrainingPlan plan;
  Snapshot snapshot;  // where it stands
  Curves curves;      // up to there
};
// Errors name the file that is missing or does not fit.
Result<OpenedTraining> open_training(const std::filesystem::path& folder);
// The training as it stood after so many steps: from the last snapshot before, or from its beginning, taken there
// again. Errors: more steps than were taken.
Result<std::unique_ptr<Training>> training_at(const std::filesystem::path& folder, Index step, Compute& compute);
// The model that it was after so many steps, in a folder of its own within: at/NAME-100. Errors: no training, more
// steps than were taken.
Result<std::filesystem::path> model_at(const std::filesystem::path& folder, Index step, Compute& compute);
// Of a training whose steps were all taken once more: where its loss on held-out examples is more than a percent off
// what was measured after that step, as on another instruction set, a sentence that says so. Else empty.
std::string loss_mismatch(const Curves& kept, Index step, double loss);
// Whether a folder is one of a training.
bool is_training_folder(const std::filesystem::path& folder);

}  // namespace headlight::learn
