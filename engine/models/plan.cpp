#include "engine/models/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"

namespace headlight {

namespace {

struct Architecture {
  const char* type;
  Result<ModelPlan> (*plan)(const ModelConfig&);
};

constexpr Architecture architectures[] = {
    {"gpt2", plans::gpt2},
    {"bert", plans::bert},
    {"roberta", plans::roberta},
    {"distilbert", plans::distilbert},
    {"vit", plans::vit},
    {"deit", plans::vit},
    {"llama", plans::llama},
    {"mistral", plans::llama},
    {"qwen2", plans::llama},
    {"qwen3", plans::llama},
    {"gemma", plans::llama},
    {"gemma2", plans::llama},
    {"gemma3_text", plans::llama},
    {"phi3", plans::llama},
    {"gpt_oss", plans::llama},
    {"gpt_neox", plans::gpt_neox},
    {"dinov2", plans::dinov2},
    {"dinov2_with_registers", plans::dinov2},
    {"opt", plans::opt},
    {"esm", plans::esm},
    {"clip", plans::clip},
    {"clip_text_model", plans::clip_text},
    {"clip_vision_model", plans::clip_vision},
    {"swin", plans::swin},
    {"t5", plans::t5},
    {"bart", plans::bart},
    {"whisper", plans::whisper},
    {"headlight", plans::trained},
    {"gguf_llama", plans::gguf},
    {"gguf_gpt2", plans::gguf},
};

const Architecture* architecture_of(const ModelConfig& config) {
  const auto found =
      std::ranges::find(architectures, config.type(), [](const Architecture& one) { return std::string(one.type); });
  return found == std::end(architectures) ? nullptr : &*found;
}

// Whether what is quantised leaves attention alone.
bool attention_is_float(const ModelConfig& config) {
  const auto& fields = config.fields().at("quantization_config");
  if (!fields.is_object() || !fields.contains("modules_to_not_convert")) return false;
  const auto& left = fields.at("modules_to_not_convert");
  return left.is_array() && std::ranges::any_of(left, [](const auto& name) {
           return name.is_string() && name.template get<std::string>().find("self_attn") != std::string::npos;
         });
}

}  // namespace

std::vector<std::string> model_types() {
  std::vector<std::string> types;
  for (const Architecture& one : architectures)
    if (one.plan != plans::gguf) types.emplace_back(one.type);
  return types;
}

bool is_known_model(const ModelConfig& config) {
  return architecture_of(config) != nullptr;
}

Result<ModelPlan> plan_of(const ModelConfig& config) {
  const Architecture* architecture = architecture_of(config);
  if (!architecture) {
    const std::vector<std::string> known = model_types();
    const std::string type = config.type();
    return type.empty() ? fail("{}: has no model_type: Headlight runs {}", config.name(), fmt::join(known, ", "))
                        : fail("{}: model_type {} is not one that Headlight runs: {}", config.name(), brief(type),
                               fmt::join(known, ", "));
  }
  if (config.has("quantization_config") && !attention_is_float(config))
    return fail("{}: has a quantization_config: only weights that are floats are read", config.name());
  HL_CHECK(config.refuse("add_cross_attention"));
  if (config.has("position_embedding_type") && config.type() != "esm") {
    HL_TRY(const std::string places, config.word("position_embedding_type", "absolute"));
    if (places != "absolute")
      return fail("{}: position_embedding_type {} is not one that Headlight runs: absolute", config.name(),
                  brief(places));
  }
  auto plan = architecture->plan(config);
  if (plan && plan->head_width == 0) {
    if (plan->width % plan->heads != 0)
      return fail("{}: {} heads do not divide {} {}", config.name(), plan->heads, plan->width_key, plan->width);
    plan->head_width = plan->width / plan->heads;
  }
  if (plan && architecture->plan != plans::gguf) {
    HL_TRY(plan->says_tied, config.flag("tie_word_embeddings", plan->tied));
    plan->tied_by_default = !config.has("tie_word_embeddings");
  }
  if (plan) std::ranges::copy(config.assumed(), std::back_inserter(plan->assumed));
  if (plan && config.has("quantization_config") && plan->refusal.empty())
    plan->refusal = "it has a quantization_config: open the attention of a layer";
  return plan;
}

void ModelPlan::drop_decoder() {
  decoder_layers = 0;
  decoder_norm.clear();
  decoder_places.clear();
  decoder_input_norm.clear();
  logits.clear();
  skipped_logits.clear();
  tied = false;
}

std::vector<ModelPart> ModelPlan::parts() const {
  std::vector<ModelPart> all;
  for (const ModelPlan& tower : towers) all.push_back(tower.only);
  if (towers.empty()) all.push_back(only);
  if (has_decoder()) all.insert(all.end(), {ModelPart::decoder, ModelPart::cross});
  return all;
}

const ModelPlan& ModelPlan::of(ModelPart part) const {
  const auto tower = std::ranges::find(towers, part, &ModelPlan::only);
  return tower == towers.end() ? *this : *tower;
}

ModelStage ModelPlan::stage_of(LayerOfModel at) const {
  const ModelPlan& plan = of(at.part);
  Index first = 0;
  for (const ModelStage& stage : plan.stages) {
    if (at.layer < first + stage.layers) return stage;
    first += stage.layers;
  }
  return {.layers = plan.layers_of(at.part), .heads = plan.heads, .width = plan.width};
}

std::string ModelPlan::heads_in_words() const {
  if (stages.empty()) return fmt::format("{}", heads);
  const auto [fewest, most] = std::ranges::minmax(stages, {}, &ModelStage::heads);
  return fewest.heads == most.heads ? fmt::format("{}", heads) : fmt::format("{} to {}", fewest.heads, most.heads);
}

Index ModelPlan::layers_of(ModelPart part) const {
  const ModelPlan& plan = of(part);
  return in_first_stack(part) ? plan.layers : plan.decoder_layers;
}

std::vector<LayerOfModel> ModelPlan::order() const {
  std::vector<LayerOfModel> all;
  for (const ModelPart part : parts())
    for (Index l = 0; in_first_stack(part) && l < layers_of(part); ++l) all.push_back({l, part});
  for (Index l = 0; l < decoder_layers; ++l) all.insert(all.end(), {{l, ModelPart::decoder}, {l, ModelPart::cross}});
  return all;
}

std::size_t ModelPlan::place_of(LayerOfModel at) const {
  const std::vector<LayerOfModel> all = order();
  return static_cast<std::size_t>(std::ranges::find(all, at) - all.begin());
}

std::string ModelPlan::part_name(ModelPart part) const {
  return names_parts() ? std::string(name_of(part)) : std::string();
}

std::string ModelPlan::steps_of_stack(ModelPart part) const {
  if (!of(part).names_stacks) return {};
  return fmt::format("{}/", name_of(part == ModelPart::cross ? ModelPart::decoder : part));
}

std::string ModelPlan::steps_of_part(ModelPart part) const {
  return steps_of_stack(part) + (part == ModelPart::cross ? "cross/" : "");
}

std::string ModelPlan::steps_of(LayerOfModel at) const {
  return fmt::format("{}layer{}/{}", steps_of_stack(at.part), at.layer, at.part == ModelPart::cross ? "cross/" : "");
}

std::string ModelPlan::input_step(LayerOfModel at) const {
  return steps_of(at) + (reads_normed() ? "attention_input" : "input");
}

Status plans::read_picture(const ModelConfig& config, Index usual_patch, ModelPlan& plan) {
  plan.pixels = true;
  HL_TRY(plan.image_size, config.whole("image_size", 1, 8192, 224));
  HL_TRY(plan.patch, config.whole("patch_size", 1, plan.image_size, usual_patch));
  HL_TRY(plan.channels, config.whole("num_channels", 3, 3, 3));
  if (plan.image_size % plan.patch != 0)
    return fail("{}: image_size {} is no multiple of patch_size {}", config.name(), plan.image_size, plan.patch);
  return {};
}

Status plans::read_sizes(const ModelConfig& config, ModelPlan& plan) {
  plan.type = config.type();
  plan.layout = plan.type;
  HL_TRY(plan.layers, config.whole("num_hidden_layers", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("num_attention_heads", 1, most_heads));
  HL_TRY(plan.width, config.whole("hidden_size", 1, widest));
  return {};
}

void plans::set_logits(const char* name, ModelPlan& plan) {
  (plan.tied ? plan.skipped_logits : plan.logits) = name;
}

std::vector<std::string> plans::class_names(const ModelConfig& config) {
  std::vector<std::string> names;
  if (!config.has("id2label") || !config.fields().at("id2label").is_object()) return names;
  for (const auto& item : config.fields().at("id2label").items()) {
    std::size_t number = 0;
    const std::string& key = item.key();
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), number);
    if (parsed.ec != std::errc() || number > 1'000'000 || !item.value().is_string()) continue;
    if (names.size() <= number) names.resize(number + 1);
    names[number] = item.value().get<std::string>();
  }
  return names;
}

Result<ModelConfig> ModelConfig::read(const std::filesystem::path& folder) {
  constexpr std::uint64_t largest = 16'000'000;  // bytes
  const auto path = folder / "config.json";
  const std::string name = one_line(utf8(path));
  HL_TRY(const std::string text, read_file(path, largest));
  auto fields = read_json(text);
  if (!fields) return fail("{}: {}", name, message_line(fields.error().message));
  if (!fields->is_object()) return fail("{}: is {}: a model's config is an object", name, kind_of(*fields));
  return ModelConfig(std::move(*fields), name);
}

std::string ModelConfig::type() const {
  return has("model_type") && fields_.at("model_type").is_string() ? fields_.at("model_type").get<std::string>() : "";
}

Result<Index> ModelConfig::whole(const char* key, Index least, Index most, std::optional<Index> fallback) const {
  if (!has(key)) {
    if (fallback) assumed_.push_back(fmt::format("{} {}", key, *fallback));
    if (fallback) return *fallback;
    return fail("{}: {} is missing", name_, key);
  }
  const Json& value = fields_.at(key);
  const bool is_whole = value.is_number_integer() && value >= least && value <= most;
  if (!is_whole)
    return fail("{}: {} is {}: it must be a whole number from {} to {}", name_, key, kind_of(value), least, most);
  return value.get<Index>();
}

Result<double> ModelConfig::real(const char* key, double fallback) const {
  if (!has(key)) {
    assumed_.push_back(fmt::format("{} {:g}", key, fallback));
    return fallback;
  }
  const Json& value = fields_.at(key);
  if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
    return fail("{}: {} is {}: it must be a number above 0", name_, key, kind_of(value));
  return value.get<double>();
}

Result<bool> ModelConfig::flag(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!fields_.at(key).is_boolean())
    return fail("{}: {} is {}: it must be true or false", name_, key, kind_of(fields_.at(key)));
  return fields_.at(key).get<bool>();
}

Result<std::string> ModelConfig::word(const char* key, const char* fallback) const {
  if (!has(key)) {
    assumed_.push_back(fmt::format("{} {}", key, fallback));
    return std::string(fallback);
  }
  if (!fields_.at(key).is_string())
    return fail("{}: {} is {}: it must be a word", name_, key, kind_of(fields_.at(key)));
  return fields_.at(key).get<std::string>();
}

Result<std::string> ModelConfig::activation(const char* key, const char* fallback) const {
  constexpr std::array<std::pair<const char*, const char*>, 7> known{{{"gelu", "gelu"},
                                                                      {"gelu_new", "gelu_tanh"},
                                                                      {"gelu_pytorch_tanh", "gelu_tanh"},
                                                                      {"gelu_fast", "gelu_tanh"},
                                                                      {"relu", "relu"},
                                                                      {"silu", "silu"},
                                                                      {"swish", "silu"}}};
  HL_TRY(const std::string name, word(key, fallback));
  for (const auto& [theirs, ours] : known)
    if (name == theirs) return std::string(ours);
  return fail("{}: {} {} is not one that Headlight runs: gelu, gelu_new, relu, silu", name_, key, brief(name));
}

Status ModelConfig::refuse(const char* key) const {
  HL_TRY(const bool set, flag(key, false));
  if (set) return fail("{}: {} is true, which is not run here", name_, key);
  return {};
}

}  // namespace headlight
