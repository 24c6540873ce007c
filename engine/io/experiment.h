// Experiment files: a variant, its parameters, its inputs, its weights, and how to look at it, as JSON.
//
// Reading one checks everything that can be checked without its data. Turning it into numbers is run/prepare.h.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/shared.h"
#include "engine/core/tensor.h"
#include "engine/io/own_names.h"
#include "engine/params/params.h"
#include "engine/variants/edits.h"
#include "engine/variants/gradient_asked.h"

namespace headlight {

struct EmbeddedFile;

struct TextInput {
  std::string text;
  std::string tokenizer = "words";  // words | characters | bytes | whitespace
  bool start_token = true;
  Index d_model = 32;
  std::uint64_t seed = 1;
  std::string means = {};  // "die = the, Katze = cat": read_meanings(); holds for every text of the experiment
  bool operator==(const TextInput&) const = default;
};

struct GridSize {
  Index rows = 0;
  Index columns = 0;
  bool operator==(const GridSize&) const = default;
};

// A picture on a grid, one position a cell. Paths here and below are relative to the experiment file.
struct ImageInput {
  std::string path;
  std::optional<GridSize> size;        // absent: the picture's aspect, the longer side at most default_longest_side
  std::string features = "described";  // described | rgb (features.h)
  bool operator==(const ImageInput&) const = default;
};
inline constexpr Index default_longest_side = 32;
inline constexpr Index default_frame_side = 16;  // there are many of them

// Pictures one after the other, all brought to one grid.
struct FramesInput {
  std::vector<std::string> paths;  // or one path: a folder of pictures in the order of their names, or an animated GIF
  std::optional<GridSize> size;    // absent: as for a picture, by the first frame, the longer side at most 16
  std::string features = "described";
  Index start = 0, every = 1;        // the first frame that is read, from 0, and every how many-th from there on
  std::optional<Index> length = {};  // so many of them; absent: to the end
  bool operator==(const FramesInput&) const = default;
};

// A column of a CSV file, or a WAV file.
struct SignalInput {
  std::string path;
  std::string column = {};             // a name, or a number from 0; empty: the last
  Index start = 0;                     // the first sample that is read, from 0
  std::optional<Index> length = {};    // samples from there on; absent: to the end
  std::optional<Index> samples = {};   // a longer signal is averaged down to so many; absent: to default_samples
  std::string features = "described";  // described | value (features.h)
  bool operator==(const SignalInput&) const = default;
};
inline constexpr Index default_samples = 64;

// What positions are called: the path of a file, or the words themselves, one list for each item of a batch or one for
// all.
struct TokenList {
  std::string path = {};
  std::vector<std::vector<std::string>> lists = {};
  bool empty() const { return path.empty() && lists.empty(); }
  bool operator==(const TokenList&) const = default;
};

// A picture that positions `offset` … offset + rows · columns − 1 lie on, row by row.
struct PictureLabel {
  std::string path = {};  // empty: places without a picture
  std::optional<GridSize> grid = {};
  std::optional<Index> offset = {};
  bool empty() const { return path.empty() && !grid && !offset; }
  bool operator==(const PictureLabel&) const = default;
};

// What stands beside the numbers of an array and says what its positions are.
struct ArrayLabels {
  TokenList tokens = {}, key_tokens = {};
  PictureLabel picture = {}, key_picture = {};
  bool raw_tokens = false;                         // tokens keep the marks of their vocabulary: Ġ, ▁, ##
  std::string positions = {}, key_positions = {};  // of attention: those that are kept, "0-8,12"; empty: all
  bool whole_words = false;                        // of attention: the pieces of a word are one position
  std::string global_tokens = {};                  // of attention in windows: the keys that stand before the window

  bool selects_positions() const { return !positions.empty() || !key_positions.empty() || whole_words; }
  bool empty() const {
    return tokens.empty() && key_tokens.empty() && picture.empty() && key_picture.empty() && !selects_positions() &&
           global_tokens.empty();
  }
  bool operator==(const ArrayLabels&) const = default;
};

// A tensor in an .npy file, or a member of an .npz.
struct FileInput {
  std::string path;
  std::string member = {};  // empty: the only array in the file
  std::string axes = {};    // what they mean, a letter each (axes.h); empty: they lie as the mechanism takes them
  ArrayLabels labels = {};
  bool operator==(const FileInput&) const = default;
};

// Numbers written out in the experiment file itself.
struct LiteralInput {
  Shape shape;
  Shared<std::vector<float>> values;
  std::string axes = {};  // as of a file
  ArrayLabels labels = {};
  bool operator==(const LiteralInput&) const = default;
};

LiteralInput literal_input(const Tensor& numbers);

// Labels alone, of an array that the experiment's file of arrays holds.
struct LabelsInput {
  ArrayLabels labels;
  bool operator==(const LabelsInput&) const = default;
};

// What a step of another run holds, and what its positions are called.
struct StepNumbers {
  std::shared_ptr<const Tensor> values;
  ArrayLabels labels;
  std::vector<std::string> heads_off = {};  // of that run: "layer 0 head 1"
};

// The residual stream in front of a model's layer: a step of that model's run.
struct StepInput {
  std::string step;  // "layer3/input"
  std::string of;    // the experiment of the model: its path, or itself as JSON
  // The same, where it is at hand: the model need not run for it.
  std::shared_ptr<const StepNumbers> known = {};
  bool operator==(const StepInput& other) const { return step == other.step && of == other.of; }
};

using InputSpec =
    std::variant<TextInput, ImageInput, FramesInput, SignalInput, FileInput, LiteralInput, LabelsInput, StepInput>;

// Null where the input is no array.
const ArrayLabels* labels_of(const InputSpec& input);

struct WeightsSpec {
  std::string init = "textbook";  // textbook | xavier_normal | xavier_uniform | normal | identity | zeros | trained
  std::uint64_t seed = 0;
  std::string set = {};  // of trained weights (run/trained.h): which; empty: the only one that fits
  // One layer of a state dict (layouts.h) instead; empty: weights are made by `init`.
  std::string from = {};       // path of a file or a folder
  std::string layout = {};     // empty: found by names
  std::string stack = {};      // encoder | decoder
  std::string attention = {};  // self | cross
  std::string prefix = {};     // of the layer's names; empty: found
  std::optional<Index> layer = {};
  OwnNames names = {};  // instead of a layout's
  bool operator==(const WeightsSpec&) const = default;
};

// Positions of the first input in another order (run/arrange.h).
struct Shuffle {
  std::uint64_t seed = 1;
  bool operator==(const Shuffle&) const = default;
};
// On their grid, in a circle: down and to the right; a sequence is one row.
struct Shift {
  Index rows = 0;
  Index columns = 0;
  bool operator==(const Shift&) const = default;
};
inline constexpr Index farthest_shift = Index{1} << 20;  // positions: as many as an input may have
using Arrangement = std::variant<Shuffle, Shift>;

// What an experiment may leave out of the window, for lessons and pages that embed it: the pipeline above the map, what
// is asked, where numbers come from, the small maps of all heads, the numbers in cells, the steps at the bottom.
inline constexpr std::array<const char*, 6> parts_of_window{"strip", "setup",   "inspector",
                                                            "heads", "numbers", "stepper"};

// What is looked at: all counted from 0, all optional.
struct View {
  std::optional<std::string> step;
  std::optional<Index> batch;
  std::optional<Index> head;
  std::optional<Index> query;
  std::optional<Index> key;
  std::optional<std::string> mode = {};  // map | matrix | lines | numbers | heads | mechanism | layers
  std::vector<std::string> hide = {};    // of parts_of_window: those that are not shown
  bool operator==(const View&) const = default;
};

struct Experiment {
  std::string name;              // of the file, for messages; empty where there is none
  std::filesystem::path folder;  // what paths inside are relative to
  std::string variant;
  ParamValues params;                       // every parameter of the variant
  std::map<std::string, InputSpec> inputs;  // by array id
  std::optional<WeightsSpec> weights;
  std::optional<Arrangement> arrange;
  std::vector<Edit> edits;                // in the order in which they are carried out
  std::optional<GradientAsked> gradient;  // of what the run goes back from; without weights
  std::string arrays;                     // path of an .npz or .safetensors, or empty
  View view;
  std::string notes;             // for whoever presents it; line breaks stay
  Shared<std::string> document;  // the JSON it was read from: unknown keys are kept when it is saved again
  // What it carries in itself (experiment_inputs.h): the paths above that name one of these lead there.
  std::vector<std::shared_ptr<const EmbeddedFile>> files = {};
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
