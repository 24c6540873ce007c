// Black et al. 2022, GPT-NeoX-20B; Pythia (Biderman et al. 2023).
#include "engine/models/plan.h"

namespace headlight {

Result<ModelPlan> plans::gpt_neox(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  plan.prefixes = {"gpt_neox.", ""};
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.trained_for, config.whole("max_position_embeddings", 1, Index{1} << 40, 0));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-5));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", false));
  plan.words = "embed_in";
  plan.final_norm = "final_layer_norm";
  plan.logits = "embed_out";
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  HL_TRY(const bool parallel, config.flag("use_parallel_residual", true));
  HL_TRY(const double share, config.real("rotary_pct", 0.25));
  if (share > 1) return fail("{}: rotary_pct is {}: it must be at most 1", config.name(), share);
  const Index width = plan.width / plan.heads;
  const auto rotated = static_cast<Index>(share * static_cast<double>(width));
  HL_TRY(const LayerSettings turning, rotary_settings(config, "rotary_emb_base", rotated, width));
  const double turned =
      rotated % 2 == 0 ? share : static_cast<double>(rotated + 1) / static_cast<double>(width);  // in pairs
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel) -> Result<LayerSettings> {
    LayerSettings settings = turning;
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    settings.params.emplace_back("rotary_fraction", turned);
    settings.params.emplace_back("block", std::string(parallel ? "parallel_two_norms" : "pre_norm"));
    return settings;
  };
  return plan;
}

}  // namespace headlight
