// Experiment files: a variant, its parameters, its inputs, its weights, and how to look at it, as JSON.
//
// Reading one checks everything that can be checked without its data. Turning it into numbers is run/prepare.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/variants/params.h"

namespace headlight {

struct TextInput {
  std::string text;
  std::string tokenizer = "words";  // words | characters | bytes | whitespace
  bool start_token = true;
  Index d_model = 32;
  std::uint64_t seed = 1;
  bool operator==(const TextInput&) const = default;
};

// A tensor in an .npy file; the path is relative to the experiment file.
struct FileInput {
  std::string path;
  bool operator==(const FileInput&) const = default;
};

// Numbers written out in the experiment file itself.
struct LiteralInput {
  Shape shape;
  std::vector<float> values;
  bool operator==(const LiteralInput&) const = default;
};

using InputSpec = std::variant<TextInput, FileInput, LiteralInput>;

struct WeightsSpec {
  std::string init = "textbook";  // textbook | xavier_normal | xavier_uniform | normal | identity | zeros
  std::uint64_t seed = 0;
  bool operator==(const WeightsSpec&) const = default;
};

// What is looked at: all counted from 0, all optional.
struct View {
  std::optional<std::string> step;
  std::optional<Index> batch;
  std::optional<Index> head;
  std::optional<Index> query;
  std::optional<Index> key;
  std::optional<std::string> mode = {};  // heatmap | lines | numbers
  bool operator==(const View&) const = default;
};

struct Experiment {
  std::string name;              // of the file, for messages; empty where there is none
  std::filesystem::path folder;  // what paths inside are relative to
  std::string variant;
  ParamValues params;                        // every parameter of the variant
  std::set<std::string, std::less<>> given;  // parameters that were set rather than left at their defaults
  std::map<std::string, InputSpec> inputs;   // by array id
  std::optional<WeightsSpec> weights;
  std::string arrays;  // path of an .npz or .safetensors, or empty
  View view;
  std::string document;              // the JSON it was read from: unknown keys are kept when it is saved again
  std::vector<std::string> notices;  // one line for each unknown key
};

// `name` is put before every error ("cat.json: params.heads is 0: …").
Result<Experiment> parse_experiment(std::string_view json, const std::filesystem::path& folder,
                                    const std::string& name);
Result<Experiment> read_experiment(const std::filesystem::path& path);

// The experiment as JSON. Keys that this version does not know stay where they were; saving, reading and saving again
// gives the same bytes. Paths inside are rewritten to be relative to `folder`.
std::string to_json(const Experiment& experiment, const std::filesystem::path& folder);
Status write_experiment(const Experiment& experiment, const std::filesystem::path& path);

// A new experiment of a variant, every parameter at its default.
Experiment default_experiment(std::string_view variant);

// The built-in example: twelve tokens through eight hand-made heads.
Experiment example_experiment();

// Every value of `init`, in the order that the window shows them.
const std::vector<std::string>& weight_inits();
// Every value of `tokenizer`.
const std::vector<std::string>& tokenizers();

}  // namespace headlight
