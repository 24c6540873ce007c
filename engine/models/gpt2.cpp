// Radford et al. 2019, Language Models are Unsupervised Multitask Learners.
#include <cmath>

#include "engine/models/plan.h"

namespace headlight {

Result<ModelPlan> plans::gpt2(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = "gpt2";
  plan.prefixes = {"transformer.", ""};
  plan.width_key = "n_embd";
  HL_TRY(plan.layers, config.whole("n_layer", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("n_head", 1, most_heads));
  HL_TRY(plan.width, config.whole("n_embd", 1, widest));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  plan.positions_key = config.has("n_positions") ? "n_positions" : "n_ctx";
  HL_TRY(plan.positions, config.whole(plan.positions_key.c_str(), 1, widest));
  HL_TRY(plan.epsilon, config.real("layer_norm_epsilon", 1e-5));
  plan.words = "wte";
  plan.places = "wpe";
  plan.final_norm = "ln_f";
  plan.logits = "lm_head";
  plan.tied = true;
  HL_TRY(const std::string activation, config.activation("activation_function", "gelu_new"));
  HL_TRY(const bool scaled, config.flag("scale_attn_weights", true));
  HL_TRY(const bool by_layer, config.flag("scale_attn_by_inverse_layer_idx", false));
  const double root = scaled ? 1 / std::sqrt(static_cast<double>(plan.width / plan.heads)) : 1;
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel at) -> Result<LayerSettings> {
    LayerSettings settings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
    if (!scaled || by_layer)
      settings.params.emplace_back("scale", root / static_cast<double>(by_layer ? at.layer + 1 : 1));
    return settings;
  };
  return plan;
}

}  // namespace headlight
