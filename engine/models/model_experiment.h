// An experiment that names a model: the folder, what it reads, and what is asked of it.
//
// Not for a layer alone, which is an experiment of multi_head: io/experiment.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/measures/parts.h"

namespace headlight {

struct TokensInput {
  std::optional<std::string> text, pair;
  std::vector<std::vector<Index>> ids;    // a list an item of the batch, all of one length; where there is no text
  std::vector<std::vector<Index>> types;  // which of two texts each of them is of; none: all of the first
  bool operator==(const TokensInput&) const = default;
};

// A picture file, or numbers (B, 3, H, W) as the model takes them.
struct PixelsInput {
  std::string image, numbers, member;  // paths relative to the experiment
  bool operator==(const PixelsInput&) const = default;
};

struct ModelHead {
  Index layer = 0, head = 0;
  ModelPart part = ModelPart::first;
  LayerOfModel of() const { return {layer, part}; }
  bool operator==(const ModelHead&) const = default;
};

// What is looked at: all counted from 0, all optional.
struct ModelView {
  std::optional<Index> layer, head, query, key;
  ModelPart part = ModelPart::first;
  std::optional<Index> batch = {};
  bool operator==(const ModelView&) const = default;
};

struct ModelExperiment {
  std::string name;              // of the file, for messages; empty where there is none
  std::filesystem::path folder;  // what paths are relative to
  std::string model;             // the folder of the model
  std::optional<TokensInput> tokens;
  std::optional<TokensInput> decoder_tokens;  // of a decoder; absent: its start token alone
  std::optional<PixelsInput> pixels;
  std::optional<PixelsInput> features;  // of sound: numbers (B, bins, frames)
  Index top = 5;                        // tokens or classes that are listed
  std::vector<ModelHead> ablate;        // heads whose outputs are 0
  ModelView view;
  std::vector<std::string> notices;
};

// Whether JSON that may be an experiment names a model.
bool is_model_experiment(std::string_view json);

// Errors begin with the name and say which key is wrong.
Result<ModelExperiment> parse_model_experiment(std::string_view json, const std::filesystem::path& folder,
                                               const std::string& name);

// The experiment as JSON. Paths are rewritten to be relative to `folder`. Reading and writing again gives the same
// bytes; keys that are not known are left out.
std::string to_json(const ModelExperiment& experiment, const std::filesystem::path& folder);
Status write_model_experiment(const ModelExperiment& experiment, const std::filesystem::path& path);

// Its own file, those of the model's folder that may be of a model, and the picture or numbers that it reads; as far as
// there are such.
std::vector<std::filesystem::path> input_files(const ModelExperiment& experiment);
// Errors: the file is one that is read, which writing would lose.
Status check_may_write(const ModelExperiment& experiment, const std::filesystem::path& output);

// Whether both ask the same of the same model, however they are looked at.
bool same_request(const ModelExperiment& a, const ModelExperiment& b);

// "1,2,3" → one list.
Result<std::vector<std::vector<Index>>> ids_in(const std::string& text);

}  // namespace headlight
