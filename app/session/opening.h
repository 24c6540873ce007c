// What a file that is opened holds: found by reading it, off the window's thread.
//
// Not for what becomes of the model: session.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/figures/figure_recipe.h"
#include "app/model/browse.h"
#include "engine/io/experiment.h"
#include "engine/layouts/layouts.h"
#include "engine/layouts/proposal.h"
#include "engine/models/model_experiment.h"

namespace headlight::app {

// A file of arrays, by their names and shapes; of a state dict also which layers those names are of, or which arrays a
// layer may be of, and the heads that a config.json beside it says.
struct OpenedArrays {
  std::filesystem::path path;
  std::vector<NamedShape> arrays;
  std::vector<LayersInFile> layers = {};
  std::optional<NamesProposed> proposed = {};
  std::string names_beside = {};  // what the names.json beside it came to, as a sentence; empty: there is none
  std::optional<Index> heads = {};
  std::vector<std::string> members = {};  // lists of attention, of which one is to be chosen: "decoder_attentions.*"
};

// Attention without an experiment, and the one that shows it.
struct OpenedDump {
  Experiment experiment;
};

// A model of many layers, by its folder or by an experiment of it, whose path is kept.
struct OpenedNetwork {
  ModelExperiment asked;
  std::filesystem::path path;  // empty: it is of no file
};
// What somebody gives a model to read; empty or absent where nothing.
struct GivenInput {
  std::optional<std::string> text = {}, pair = {};
  std::string ids = {};  // "1,2,3"
  std::string image = {};
  std::optional<std::string> decoder = {};  // what a decoder has said
  std::optional<Index> at = {};             // of a network that was trained here: after so many steps
  bool any() const { return text || pair || decoder || !ids.empty() || !image.empty(); }
};
// Puts the model that a training was after the step that is asked for in the place of its folder. Errors: it is none,
// or has not taken that step.
Status go_to_step(std::filesystem::path& folder, const GivenInput& given);
// The experiment of a folder that reads that. Errors name the option that is wrong.
Result<ModelExperiment> experiment_of_folder(const std::filesystem::path& folder, const GivenInput& given);

// The model in a folder, reading what a new one reads; nothing where it holds none. The config.json in it serves, too.
std::optional<ModelExperiment> model_in(const std::filesystem::path& path, const std::filesystem::path& examples);

// What was trained here and is no model of layers: it opens where it is trained.
struct TrainingFolder {
  std::filesystem::path folder;
};
bool opens_as_training(const std::filesystem::path& folder);

// An experiment, a figure with its recipe, an input, arrays, or why there is nothing. Paths inside are absolute.
using Opened =
    std::variant<Error, Experiment, Recipe, InputSpec, OpenedArrays, OpenedDump, OpenedNetwork, TrainingFolder>;

// `examples` is the folder of what comes with the program; `member` which lists of attention of several are opened.
Opened read_to_open(const std::filesystem::path& path, const std::filesystem::path& examples,
                    const std::string& member = {});

}  // namespace headlight::app
