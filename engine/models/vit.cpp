// Dosovitskiy et al. 2021, An Image is Worth 16x16 Words; Touvron et al. 2021, DeiT, with a token of the teacher;
// Oquab et al. 2023, DINOv2; Darcet et al. 2023, its registers.
#include "engine/models/plan.h"

namespace headlight {

namespace {

// What they have in common.
Result<ModelPlan> patch_model(const ModelConfig& config, double usual_epsilon) {
  ModelPlan plan;
  HL_CHECK(plans::read_sizes(config, plan));
  HL_CHECK(plans::read_picture(config, 16, plan));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", usual_epsilon));
  plan.lone_tokens = {"embeddings.cls_token"};
  plan.projection = "embeddings.patch_embeddings.projection";
  plan.places = "embeddings.position_embeddings";
  plan.final_norm = "layernorm";
  plan.classes = {"classifier"};
  plan.class_names = plans::class_names(config);
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  plan.layer = [activation, epsilon = plan.epsilon](LayerOfModel) {
    return LayerSettings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
  };
  return plan;
}

}  // namespace

Result<ModelPlan> plans::vit(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, patch_model(config, 1e-12));
  plan.prefixes = {plan.type + ".", "vit.", ""};
  if (plan.type != "deit") return plan;
  plan.lone_tokens.emplace_back("embeddings.distillation_token");
  plan.classes = {"cls_classifier", "distillation_classifier"};
  return plan;
}

Result<ModelPlan> plans::dinov2(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, patch_model(config, 1e-6));
  plan.layout = "dinov2";
  plan.prefixes = {plan.type + ".", ""};
  plan.any_grid = true;
  plan.mean_in_class = true;
  plan.pooled = Pooled::first;
  if (plan.type == "dinov2_with_registers") {
    HL_TRY(plan.register_count, config.whole("num_register_tokens", 0, 1024, 4));
    plan.registers = plan.register_count > 0 ? "embeddings.register_tokens" : "";
  }
  HL_TRY(const bool gated, config.flag("use_swiglu_ffn", false));
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel) {
    LayerSettings settings{{{"norm_epsilon", epsilon}, {"ffn_activation", gated ? "silu" : activation}}};
    settings.gated = gated;
    return settings;
  };
  return plan;
}

}  // namespace headlight
