// What an architecture makes of its config: sizes, the names of the arrays that stand round the layers, and how each
// layer is run.
//
// Not for arrays: model.h opens them. Not for the names inside a layer: layouts/tables.h.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/gguf.h"
#include "engine/measures/parts.h"
#include "engine/params/params.h"

namespace headlight {

// The config.json of a model's folder: its fields as types, with errors that name the file and the field.
class ModelConfig {
 public:
  // FOLDER/config.json; errors begin with its path.
  static Result<ModelConfig> read(const std::filesystem::path& folder);
  ModelConfig(nlohmann::ordered_json fields, std::string name) : fields_(std::move(fields)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }  // of the file, for messages
  // model_type; empty where it says none.
  std::string type() const;
  // Whether it says anything but null.
  bool has(const char* key) const { return fields_.contains(key) && !fields_.at(key).is_null(); }
  const nlohmann::ordered_json& fields() const { return fields_; }

  // A field as a type; without a fallback it must be there.
  Result<Index> whole(const char* key, Index least, Index most, std::optional<Index> fallback = {}) const;
  // Above 0.
  Result<double> real(const char* key, double fallback) const;
  Result<bool> flag(const char* key, bool fallback) const;
  Result<std::string> word(const char* key, const char* fallback) const;
  // The parameter ffn_activation for what frameworks call their activations.
  Result<std::string> activation(const char* key, const char* fallback) const;
  // Numbers and words that were asked for and are not there, with what stands in their place: "rope_theta 10000".
  const std::vector<std::string>& assumed() const { return assumed_; }
  // An error where a flag is set that means something this program does not run.
  Status refuse(const char* key) const;

 private:
  nlohmann::ordered_json fields_;
  std::string name_;
  mutable std::vector<std::string> assumed_;
};

// Extents that no model reaches: beyond them a config is false.
inline constexpr Index most_layers_of_model = 512, most_heads = 1024, widest = Index{1} << 20,
                       largest_vocabulary = (Index{1} << 24) - 1, most_tokens = 65536;

// What a config says of a layer besides what its layout does.
struct LayerSettings {
  std::vector<std::pair<std::string, ParamValue>> params = {};
  std::map<std::string, Tensor, std::less<>> arrays = {};  // that no file holds
  std::optional<bool> gated = {};                          // whether its ffn has a gate, where a config says so
};

// Of rotary positions; the scores of queries and keys that turn are multiplied by the square of `attention`.
struct RotarySettings : LayerSettings {
  double attention = 1;
};

// activation(x · weightᵀ + bias), then a norm: what some heads make of the last layer before they read it.
struct TransformNames {
  std::string dense, activation, norm;
};

// Layers of one size: between two stages every 2 × 2 places become one.
struct ModelStage {
  Index layers = 0, heads = 0, width = 0;
  Index side = 0, window = 0;  // of the picture and of its windows, in places
};

// What of the stream after the last layer stands for all of it.
enum class Pooled { nothing, first, mean, end_token };

// A norm is found under its name with .weight and .bias (or .gamma and .beta), a dense part with .weight and .bias.
// Empty names take no part; what is not in the file is left out where it says so.
struct ModelPlan {
  std::string type;                   // "gpt2"
  std::string layout;                 // layouts.h
  std::vector<std::string> prefixes;  // before names, the first that fits: {"transformer.", ""}
  // Of a model that reads a text and a picture: each of its two parts as a model of its own. What stands below is then
  // empty, but for layers, heads and width, which are of the first.
  std::vector<ModelPlan> towers = {};
  ModelPart only = ModelPart::first;    // of a tower: which it is
  std::vector<ModelStage> stages = {};  // where layers differ in size; heads are the most that one has
  Index layers = 0, heads = 0, key_heads = 0, head_width = 0, width = 0;
  Index decoder_layers = 0;               // of a second stack, which reads what the first makes; 0: there is none
  bool names_stacks = false;              // files and steps say of which stack a layer is, be there one or two
  std::string stack = {};                 // that files name, though steps do not
  std::string width_key = "hidden_size";  // what the config calls it
  double epsilon = 1e-5;
  bool root_norms = false;     // norms are by the root of the mean square
  bool norms_add_one = false;  // γ is 1 + what their files hold
  // Why it is not run, though its layers open; empty: it is.
  std::string refusal = {};

  bool pixels = false;  // it reads a picture, not tokens
  Index vocabulary = 0;
  Index answers = 0;    // that logits are of, where they are others; 0: the vocabulary
  Index positions = 0;  // the most tokens; 0: any number
  std::string positions_key = {};
  std::string words = {}, places = {}, types = {}, input_norm = {};
  std::string words_else = {};  // where `words` is not there
  double embedding_scale = 1;   // of what stands for a token, before its place is added
  Index places_before = 0;      // rows of the table of places before that of the first token
  // Tokens of another width are brought to that of the layers, and back before the logits, where the file says how.
  Index embedding_width = 0;  // 0: that of the layers
  std::string project_in = {}, project_out = {};
  // Of the second stack, where it does not read as the first does.
  std::string decoder_places = {}, decoder_input_norm = {};
  Index decoder_positions = 0;
  Index mel_bins = 0;  // it reads a spectrogram of so many bins, in two convolutions; 0: no sound
  Index type_count = 0;
  std::optional<Index> padding = {};  // places are counted from the token of that id on, and leave it out
  // What stands for a token of that id is set to 0, and the others of a text are stretched by 0.88 over their share.
  std::optional<Index> hidden_token = {};
  Index trained_for = 0;     // tokens, where more may run; 0: not known
  std::string example = {};  // a text that it reads where nobody gives one

  Index image_size = 0, patch = 0, channels = 3;  // of a picture, square
  std::vector<std::string> lone_tokens = {};      // before its patches
  bool flat_tables = false;         // places are NAME.weight (n, d) and a lone token (d); else (1, n, d) and (1, 1, d)
  bool norm_before_places = false;  // input_norm is of the patches alone
  std::string registers = {};       // more of them, without a place, in one array
  Index register_count = 0;
  bool any_grid = false;       // pictures of other sizes are read, too: places are resized
  bool mean_in_class = false;  // classes are read from the first token beside the mean of the patches
  std::string projection = {};

  std::string final_norm = {}, decoder_norm = {};  // after the last layer of each stack
  bool final_norm_needed = true;
  Index start_token = 0, end_token = 0;  // of a decoder: what it begins with, and what closes its text
  // Heads; each is there where its weights are.
  TransformNames transform = {};
  std::string logits = {};  // a weight, else `words` where `tied`
  std::string logits_bias = {};
  std::string skipped_logits = {};  // an output weight in the file that is ignored, since the config ties it to `words`
  bool tied = false;
  bool says_tied = false;           // what the config says, which a weight of its own goes before
  bool tied_by_default = true;      // it says nothing of it
  std::string head_note = {};       // where file and config differ in this: which is read
  double tied_scale = 1;            // of what the tied weight is multiplied with
  double logit_cap = 0;             // c · tanh(logit / c); 0: none
  Pooled pooled = Pooled::nothing;  // after the last norm
  std::string pooled_norm = {};     // of it, instead of that
  bool class_of_pooled = false;     // classes are read from it
  // A projection of it, and the step that it is: "text_embeds".
  std::string embeds_projection = {}, embeds = {};
  std::string pooler = {}, pair = {}, pooled_classes = {};
  std::vector<std::string> classes = {};  // one for each lone token; their mean
  std::vector<std::string> class_names = {};
  std::vector<std::string> token_names = {};  // where the file of the weights has them, by id

  // Of layers that are attention alone: what stands round it.
  bool norms_input = false;          // a norm of their own before it
  bool adds_input = false;           // what they read is added to what they give
  bool has_residual = true;          // what a layer reads is part of what comes after it
  std::string added_places = {};     // a table whose rows are added to queries and keys of every layer
  std::string position_scheme = {};  // how they know where a token stands; empty: as the architecture does
  std::function<LayerSettings(LayerOfModel)> layer = {};
  std::string activation = {};            // of a feed-forward that is no part of its mechanism
  std::vector<std::string> assumed = {};  // fields that the config does not have: ModelConfig::assumed()

  Index logit_count() const { return answers > 0 ? answers : vocabulary; }  // how many logits there are
  // Whether a layer's mechanism reads something else than the stream: what a norm makes of it.
  bool reads_normed() const { return norms_input || !stages.empty(); }
  // Positions that stand before a picture's patches.
  Index before_patches() const { return static_cast<Index>(lone_tokens.size()) + register_count; }
  bool has_decoder() const { return decoder_layers > 0; }
  // Whether steps and titles say of which part a layer is.
  bool names_parts() const { return has_decoder() || !towers.empty() || only != ModelPart::first; }
  // Of the tower that a part is; else this.
  const ModelPlan& of(ModelPart part) const;
  bool has_several_parts() const { return has_decoder() || !towers.empty(); }
  // Its stage; of a model without stages the first, of all layers.
  ModelStage stage_of(LayerOfModel at) const;
  Index heads_of(LayerOfModel at) const { return stage_of(at).heads; }
  std::string heads_in_words() const;  // "12", or "3 to 24"
  // Its first stack alone, which nothing reads.
  void drop_decoder();
  std::vector<ModelPart> parts() const;
  // 0: it has no such part.
  Index layers_of(ModelPart part) const;
  // Every layer of every part, in the order in which they run.
  std::vector<LayerOfModel> order() const;
  std::size_t place_of(LayerOfModel at) const;  // in order()
  // "cross"; empty where a model has one part: as steps have it.
  std::string part_name(ModelPart part) const;
  // What stands before the ids of steps: of a stack "" or "decoder/", of a part's measures "decoder/cross/", of a layer
  // "layer3/" or "decoder/layer3/cross/".
  std::string steps_of_stack(ModelPart part) const;
  std::string steps_of_part(ModelPart part) const;
  std::string steps_of(LayerOfModel at) const;
  // The step that a layer's mechanism reads: the stream, or what the norm before it makes of that.
  std::string input_step(LayerOfModel at) const;
};

// By model_type; an error names those that there are.
Result<ModelPlan> plan_of(const ModelConfig& config);
// "gpt2", "bert" …
std::vector<std::string> model_types();
// Whether model_type is one of them.
bool is_known_model(const ModelConfig& config);

// What a .gguf file says of its model, as fields of a config. Errors: an architecture that is not run here.
Result<ModelConfig> config_of_gguf(const GgufFile& file, const std::filesystem::path& path);

namespace plans {

Result<ModelPlan> gpt2(const ModelConfig& config);
Result<ModelPlan> bert(const ModelConfig& config);
Result<ModelPlan> roberta(const ModelConfig& config);
Result<ModelPlan> distilbert(const ModelConfig& config);
Result<ModelPlan> vit(const ModelConfig& config);  // and deit
Result<ModelPlan> dinov2(const ModelConfig& config);
Result<ModelPlan> swin(const ModelConfig& config);
Result<ModelPlan> clip(const ModelConfig& config);
Result<ModelPlan> clip_text(const ModelConfig& config);
Result<ModelPlan> clip_vision(const ModelConfig& config);
Result<ModelPlan> llama(const ModelConfig& config);  // and its kin
Result<ModelPlan> opt(const ModelConfig& config);
Result<ModelPlan> gguf(const ModelConfig& config);  // config_of_gguf()
Result<ModelPlan> bart(const ModelConfig& config);
Result<ModelPlan> whisper(const ModelConfig& config);
Result<ModelPlan> esm(const ModelConfig& config);
Result<ModelPlan> gpt_neox(const ModelConfig& config);
Result<ModelPlan> t5(const ModelConfig& config);
Result<ModelPlan> trained(const ModelConfig& config);  // here: trained.h

// The sizes under the names that most configs have.
Status read_sizes(const ModelConfig& config, ModelPlan& plan);
// Of pictures and their patches.
Status read_picture(const ModelConfig& config, Index usual_patch, ModelPlan& plan);
// Base and frequencies of rotary positions, of which the first `rotated` channels of a head of `width` turn. Fields of
// other kinds are refused by name.
struct RotaryRule {
  const char* base_key;
  Index rotated, width;
  double base = 10000;                           // where the config does not say it
  bool scaled = true;                            // by rope_scaling
  const char* kind_of_layer = "full_attention";  // of whose object in rope_parameters
};
Result<RotarySettings> rotary_settings(const ModelConfig& config, const RotaryRule& rule);
// The weight of the logits, which is not read where the plan is tied.
void set_logits(const char* name, ModelPlan& plan);
// id2label, in the order of its numbers.
std::vector<std::string> class_names(const ModelConfig& config);

}  // namespace plans

}  // namespace headlight
