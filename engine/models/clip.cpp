// CLIP (Radford et al. 2021, section 2.4): a text and a picture, each by a tower of its own, in one space.
#include <fmt/format.h>

#include "engine/models/plan.h"

namespace headlight {

namespace {

struct UsualSizes {
  Index width, heads, layers;
};

// What both towers have in common.
Result<ModelPlan> tower(const ModelConfig& config, ModelPart part, UsualSizes usual) {
  ModelPlan plan;
  const std::string name(name_of(part));
  plan.type = fmt::format("clip_{}_model", name);
  plan.layout = "clip";
  plan.stack = name;
  plan.prefixes = {name + "_model.", ""};
  HL_TRY(plan.layers, config.whole("num_hidden_layers", 1, most_layers_of_model, usual.layers));
  HL_TRY(plan.heads, config.whole("num_attention_heads", 1, most_heads, usual.heads));
  HL_TRY(plan.width, config.whole("hidden_size", 1, widest, usual.width));
  if (plan.width % plan.heads != 0)
    return fail("{}: {} heads do not divide {} {}", config.name(), plan.heads, plan.width_key, plan.width);
  plan.head_width = plan.width / plan.heads;
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-5));
  HL_TRY(std::string activation, config.word("hidden_act", "quick_gelu"));
  if (activation != "quick_gelu") {
    HL_TRY(activation, config.activation("hidden_act", "gelu"));
  }
  plan.layer = [activation, epsilon = plan.epsilon](LayerOfModel) {
    return LayerSettings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
  };
  return plan;
}

// The config of a tower within that of both; older files say again what differs.
Result<ModelConfig> config_of_tower(const ModelConfig& config, const std::string& key) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  for (const std::string& one : {key, key + "_dict"})
    if (config.has(one.c_str())) {
      if (!config.fields().at(one).is_object()) return fail("{}: {} must be an object", config.name(), one);
      fields.update(config.fields().at(one));
    }
  return ModelConfig(std::move(fields), fmt::format("{}: {}", config.name(), key));
}

}  // namespace

Result<ModelPlan> plans::clip_text(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, tower(config, ModelPart::text, {512, 8, 12}));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary, 49408));
  HL_TRY(plan.positions, config.whole("max_position_embeddings", 1, most_tokens, 77));
  HL_TRY(plan.end_token, config.whole("eos_token_id", 0, largest_vocabulary, 49407));
  plan.positions_key = "max_position_embeddings";
  plan.words = "embeddings.token_embedding";
  plan.places = "embeddings.position_embedding";
  plan.final_norm = "final_layer_norm";
  plan.pooled = Pooled::end_token;
  plan.embeds_projection = "text_projection";
  plan.embeds = "text_embeds";
  return plan;
}

Result<ModelPlan> plans::clip_vision(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, tower(config, ModelPart::vision, {768, 12, 12}));
  HL_CHECK(read_picture(config, 32, plan));
  plan.lone_tokens = {"embeddings.class_embedding"};
  plan.projection = "embeddings.patch_embedding";
  plan.places = "embeddings.position_embedding";
  plan.flat_tables = true;
  plan.input_norm = "pre_layrnorm";
  plan.pooled = Pooled::first;
  plan.pooled_norm = "post_layernorm";
  plan.embeds_projection = "visual_projection";
  plan.embeds = "image_embeds";
  return plan;
}

Result<ModelPlan> plans::clip(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = "clip";
  plan.prefixes = {""};
  for (const ModelPart part : {ModelPart::text, ModelPart::vision}) {
    const std::string key = fmt::format("{}_config", name_of(part));
    HL_TRY(const ModelConfig own, config_of_tower(config, key));
    HL_TRY(ModelPlan one, part == ModelPart::text ? clip_text(own) : clip_vision(own));
    one.only = part;
    one.names_stacks = true;
    for (const std::string& assumed : own.assumed()) plan.assumed.push_back(fmt::format("{}: {}", key, assumed));
    plan.towers.push_back(std::move(one));
  }
  const ModelPlan& first = plan.towers.front();
  plan.layers = first.layers;
  plan.heads = first.heads;
  plan.width = first.width;
  plan.head_width = first.head_width;
  return plan;
}

}  // namespace headlight
