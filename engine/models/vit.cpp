// Dosovitskiy et al. 2021, An Image is Worth 16x16 Words; Touvron et al. 2021, DeiT, with a token of the teacher.
#include "engine/models/plan.h"

namespace headlight {

Result<ModelPlan> plans::vit(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  const bool taught = plan.type == "deit";
  plan.prefixes = {plan.type + ".", "vit.", ""};
  plan.pixels = true;
  HL_TRY(plan.image_size, config.whole("image_size", 1, 8192, 224));
  HL_TRY(plan.patch, config.whole("patch_size", 1, plan.image_size, 16));
  HL_TRY(plan.channels, config.whole("num_channels", 3, 3, 3));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-12));
  if (plan.image_size % plan.patch != 0)
    return fail("{}: image_size {} is no multiple of patch_size {}", config.name(), plan.image_size, plan.patch);
  plan.lone_tokens = {"embeddings.cls_token"};
  if (taught) plan.lone_tokens.emplace_back("embeddings.distillation_token");
  plan.projection = "embeddings.patch_embeddings.projection";
  plan.places = "embeddings.position_embeddings";
  plan.final_norm = "layernorm";
  plan.classes = taught ? std::vector<std::string>{"cls_classifier", "distillation_classifier"}
                        : std::vector<std::string>{"classifier"};
  plan.class_names = class_names(config);
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  plan.layer = [activation, epsilon = plan.epsilon](LayerOfModel) -> Result<LayerSettings> {
    return LayerSettings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
  };
  return plan;
}

}  // namespace headlight
