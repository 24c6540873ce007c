#include "engine/models/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/core/words.h"

namespace headlight {

namespace {

struct Architecture {
  const char* type;
  Result<ModelPlan> (*plan)(const ModelConfig&);
};

constexpr Architecture architectures[] = {
    {"gpt2", plans::gpt2},       {"bert", plans::bert},
    {"roberta", plans::roberta}, {"distilbert", plans::distilbert},
    {"vit", plans::vit},         {"deit", plans::vit},
    {"llama", plans::llama},     {"mistral", plans::llama},
    {"qwen2", plans::llama},     {"gpt_neox", plans::gpt_neox},
    {"t5", plans::t5},
};

const Architecture* architecture_of(const ModelConfig& config) {
  const auto found =
      std::ranges::find(architectures, config.type(), [](const Architecture& one) { return std::string(one.type); });
  return found == std::end(architectures) ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> model_types() {
  std::vector<std::string> types;
  for (const Architecture& one : architectures) types.emplace_back(one.type);
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
  if (config.has("quantization_config"))
    return fail("{}: has a quantization_config: only weights that are floats are read", config.name());
  HL_CHECK(config.refuse("add_cross_attention"));
  if (config.has("position_embedding_type")) {
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
  if (plan) plan->assumed = config.assumed();
  return plan;
}

void ModelPlan::leave_out_decoder() {
  decoder_layers = 0;
  decoder_norm.clear();
  logits.clear();
  tied = false;
}

std::vector<ModelPart> ModelPlan::parts() const {
  if (!has_decoder()) return {ModelPart::first};
  return {model_parts.begin(), model_parts.end()};
}

Index ModelPlan::layers_of(ModelPart part) const {
  return in_first_stack(part) ? layers : decoder_layers;
}

std::vector<LayerOfModel> ModelPlan::order() const {
  std::vector<LayerOfModel> all;
  for (Index l = 0; l < layers; ++l) all.push_back({l, ModelPart::first});
  for (Index l = 0; l < decoder_layers; ++l) all.insert(all.end(), {{l, ModelPart::decoder}, {l, ModelPart::cross}});
  return all;
}

std::size_t ModelPlan::place_of(LayerOfModel at) const {
  const Index place =
      in_first_stack(at.part) ? at.layer : layers + 2 * at.layer + (at.part == ModelPart::cross ? 1 : 0);
  return static_cast<std::size_t>(place);
}

std::string ModelPlan::part_name(ModelPart part) const {
  return has_decoder() ? std::string(name_of(part)) : std::string();
}

std::string ModelPlan::steps_of_stack(ModelPart part) const {
  if (!names_stacks) return {};
  return fmt::format("{}/", name_of(in_first_stack(part) ? ModelPart::first : ModelPart::decoder));
}

std::string ModelPlan::steps_of_part(ModelPart part) const {
  return steps_of_stack(part) + (part == ModelPart::cross ? "cross/" : "");
}

std::string ModelPlan::steps_of(LayerOfModel at) const {
  return fmt::format("{}layer{}/{}", steps_of_stack(at.part), at.layer, at.part == ModelPart::cross ? "cross/" : "");
}

Status plans::read_sizes(const ModelConfig& config, ModelPlan& plan) {
  plan.type = config.type();
  plan.layout = plan.type;
  HL_TRY(plan.layers, config.whole("num_hidden_layers", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("num_attention_heads", 1, most_heads));
  HL_TRY(plan.width, config.whole("hidden_size", 1, widest));
  return {};
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

}  // namespace headlight
