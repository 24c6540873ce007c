// What a variant of attention says of itself, and how it runs.
//
// A variant is a class with its parameters, its arrays, its words and record(), in one source file, and a line in
// registry.cpp. Everything else, the window included, reads what is declared here. docs/adding-a-variant.md walks
// through one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/params/params.h"
#include "engine/params/plain.h"
#include "engine/params/presets.h"
#include "engine/picture/image.h"
#include "engine/trace/trace.h"
#include "engine/variants/edits.h"
#include "engine/variants/gradient_asked.h"
#include "engine/variants/words.h"

namespace headlight {

// What an input was made from; `array`: bare numbers, of unknown meaning.
enum class InputKind { text, image, frames, signal, array };

struct VariantInfo {
  std::string id;           // "multi_head"
  std::string title;        // "Scaled dot-product"
  std::string summary;      // one sentence
  std::string shorthand;    // "softmax(qkᵀ)v", beside the title
  std::string source = {};  // paper, section, equation
  // What it is called, and its shorthand, where keys and values are made from a second text; empty where that is no
  // mechanism of its own.
  std::string cross_title = {};
  std::string cross_shorthand = {};
  std::vector<InputKind> first_choice_for = {};  // inputs that it takes where the chosen mechanism cannot
};

// Where the numbers of an array come from when nobody gives them.
enum class Fill {
  required,  // an input: somebody must
  absent,    // it takes no part
  alias,     // another array serves (x_k: x_q)
  init,      // drawn or made by weights.init
  normal,    // drawn with mean 0 and variance 1, whatever weights.init says
  zeros,
  ones,
  sinusoidal,     // positions, Vaswani et al. 2017, section 3.5
  sinusoidal_2d,  // those of the row beside those of the column, Carion et al. 2020, appendix
};

// How text, pictures and signals are laid into an input. Positions are flattened row-major (frame, row, column).
enum class Layout {
  none,  // numbers only
  rows,  // (B, positions, channels)
  grid,  // (B, channels, length), (B, channels, rows, columns) or (B, channels, frames, rows, columns)
  maps,  // (B, M, n_q, n_k): attention that is given, which may be of several layers (run/given_maps.h)
};

// An array that a variant reads. Shapes are written in symbols: {"M", "d_q", "d'"}; a symbol is bound by a parameter or
// by the first array that shows it, and every later array must agree. "1" is the extent one.
struct ArraySpec {
  std::string id;
  std::string title;
  std::string help;
  std::vector<std::vector<std::string>> shapes;  // the alternatives allowed; the first is used when it is generated
  Fill fill = Fill::required;
  std::string alias_of = {};  // Fill::alias
  Kind kind = Kind::input;
  Role role = Role::none;
  bool boolean_ok = false;  // whether a file may hold it as booleans (1 where true)
  Layout layout = Layout::none;
  bool outputs_first = false;    // a weight of shape (out, in), as convolutions keep them
  std::string recorded_as = {};  // its id in the trace, where a step has the array's own name
  std::string symbol = {};       // LaTeX without indices: "W_q"
  std::string letter = {};       // heads a narrow column of its numbers; empty: its id or title
  bool hides = false;            // −∞ in it hides a key, as in a mask
};

// What it is called there.
inline const std::string& id_in_trace(const ArraySpec& spec) {
  return spec.recorded_as.empty() ? spec.id : spec.recorded_as;
}

struct ArraySpecs {
  std::vector<ArraySpec> inputs;  // in the order they bind symbols
  std::vector<ArraySpec> weights = {};
};

// The input that keys are made from, where it may be another than the first: cross-attention has one. Null where the
// mechanism takes none.
const ArraySpec* second_input(const ArraySpecs& specs);

// Extents by symbol.
using Symbols = std::map<std::string, Index, std::less<>>;

using ArrayMap = std::map<std::string, std::shared_ptr<const Tensor>, std::less<>>;

class MaskOption;  // mask_option.h

// What an experiment gives, by id.
struct GivenIds {
  IdSet arrays, params;
};

// An array that stands for several weights, which the mechanism takes as if they had been given apart.
struct FusedArray {
  std::string id;
  Result<ArrayMap> (*split)(const Tensor& fused, const ParamValues& params, const GivenIds& given);
};

// What a run will take, known before it starts.
struct Cost {
  double bytes = 0;       // of all recorded steps together
  double operations = 0;  // multiply-adds count as two
};

// The model, or its layer, that the numbers come from.
struct ModelName {
  std::string name = {};                    // of its folder or file, without those that it lies in; empty: of none
  std::string layer = {};                   // "layer 3", "decoder layer 3", where they are of one
  std::vector<std::string> heads_off = {};  // "layer 0 head 1": those that hand on 0
};

// Everything a run needs: parameters checked, arrays present and of agreeing shapes.
struct Problem {
  const class Variant* variant = nullptr;
  ParamValues params;
  Symbols symbols;
  ArraySpecs specs;
  ArrayMap arrays;                                         // by id; aliases share the pointer
  std::map<std::string, std::vector<std::string>> labels;  // by axis symbol: "n_q" → tokens
  Meanings meanings = {};                                  // of the words of all texts
  std::map<std::string, Grid> grids;                       // by axis symbol
  std::map<std::string, PlacedGrid, std::less<>> placed;   // by axis symbol, where a grid lies on some positions
  std::map<std::string, std::vector<std::vector<std::string>>, std::less<>> given_labels;  // by axis symbol: Axis
  // What arrays span, by id, where that is known: all numbers of a large one need not be read again for it.
  std::map<std::string, std::vector<Extent>, std::less<>> extents = {};
  std::map<std::string, std::string, std::less<>> files;  // the path of the file that an array is from, by id
  ModelName model = {};
  std::vector<HeadInfo> heads;  // where it is known what they do: all weights are made by hand, or of a trained set
  std::vector<std::string> given_weights;  // ids of those that somebody gave
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what was read and what was assumed: nothing is wrong with it
  std::map<std::string, std::shared_ptr<const Pictures>, std::less<>> pictures;  // behind inputs, for overlays; by id
  InputKind input_kind = InputKind::array;  // of the first input: weights made by hand read its channels
  // The one query that is computed, where the parameter only_query asks for one; n_q is then 1.
  std::optional<Index> only_query = {};

  std::optional<GradientAsked> gradient = {};  // where it is asked for: the run goes back, too

  std::vector<Edit> edits = {};  // all of the experiment's; they fit, and arrays are edited already
  // Of the arrays that were edited, by id in the trace.
  std::map<std::string, EditsDone, std::less<>> edited = {};

  const Tensor* find(std::string_view id) const;
  Index dim(std::string_view symbol) const;  // the symbol must be bound
  Index extent(AxisRole along) const;        // 1 where nothing runs along such
};

class Variant {
 public:
  // What it is called, its parameters, and what its steps are called and say.
  Variant(VariantInfo info, std::vector<ParamSpec> params, std::vector<StepWords> words)
      : info_(std::move(info)), params_(std::move(params)), words_(std::move(words)) {}
  virtual ~Variant() = default;
  const VariantInfo& info() const { return info_; }
  const std::vector<ParamSpec>& params() const { return params_; }
  std::span<const StepWords> words() const { return words_; }

  // The arrays under these parameters, when the arrays named in `given` are supplied.
  virtual ArraySpecs arrays(const ParamValues& params, const IdSet& given) const = 0;
  virtual std::span<const FusedArray> fused() const { return {}; }
  // Symbols that parameters fix ("M" = heads), before any array is seen.
  virtual void bind(const ParamValues& params, Symbols& symbols) const = 0;
  // Symbols still unbound after the inputs ("d_out" = d_q), before weights are generated.
  virtual void bind_rest(const ParamValues& params, Symbols& symbols) const = 0;
  // What shapes alone cannot say ("a block needs d_out = d_q"). Runs before anything is generated.
  virtual Status validate(const ParamValues&, const Symbols&) const { return {}; }
  // What values alone can say ("a variance must be 0 or more"); by itself what its masks say. Runs before record().
  virtual Status check(const Problem& problem) const;
  // Why its results have no gradients, where they have none.
  virtual Status check_gradients() const { return {}; }
  // Small experiments, as JSON, that together record every step: `headlight list`, the tests and the documents run
  // them.
  virtual std::vector<std::string> samples() const = 0;
  // The rules that can hide keys from its queries, in the order in which reasons are told; none: it has no mask.
  virtual std::span<const MaskOption* const> masks() const { return {}; }
  // What to hold its map against, where that is not itself with plain choices.
  virtual std::optional<PlainTwin> plain_twin(const ParamValues&) const { return std::nullopt; }
  // Where a mechanism is known for how it scores a pair: the ways that it is told apart from, its own among them.
  virtual std::vector<ScoreForm> score_forms(const ParamValues&) const { return {}; }
  // Layers that people know by name, as parameters of this mechanism.
  virtual std::span<const Preset> presets() const { return {}; }
  // The mechanism, straight-line: an operation on arrays recorded before, handed over under the id of a step, and so
  // on. It also runs without numbers, to say what a run costs: values may be read inside operations alone.
  virtual void record(Recorder& recorder) const = 0;

 private:
  VariantInfo info_;
  std::vector<ParamSpec> params_;
  std::vector<StepWords> words_;
};

// What a run will take: record() carried out on extents alone.
Cost cost_of(const Problem& problem);

// Every variant, in the order that the window shows them.
std::span<const Variant* const> all_variants();
// Null when there is none of that id.
const Variant* find_variant(std::string_view id);

}  // namespace headlight
