// Models that go on with a text: GPT-2, GPT-NeoX and OPT.
#include <cmath>

#include "engine/models/plan.h"

namespace headlight {

// Radford et al. 2019, Language Models are Unsupervised Multitask Learners.
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
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel at) {
    LayerSettings settings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
    if (!scaled || by_layer)
      settings.params.emplace_back("scale", root / static_cast<double>(by_layer ? at.layer + 1 : 1));
    return settings;
  };
  return plan;
}

// Black et al. 2022, GPT-NeoX-20B; Pythia (Biderman et al. 2023).
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
  HL_TRY(const RotarySettings turning, rotary_settings(config, {"rotary_emb_base", rotated, width}));
  const double turned =
      rotated % 2 == 0 ? share : static_cast<double>(rotated + 1) / static_cast<double>(width);  // in pairs
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel) {
    LayerSettings settings = turning;
    if (turning.attention != 1)
      settings.params.emplace_back("scale",
                                   turning.attention * turning.attention / std::sqrt(static_cast<double>(width)));
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    settings.params.emplace_back("rotary_fraction", turned);
    settings.params.emplace_back("block", std::string(parallel ? "parallel_two_norms" : "pre_norm"));
    return settings;
  };
  return plan;
}

// Zhang et al. 2022, OPT. Two rows of the table of places stand before that of the first token.
Result<ModelPlan> plans::opt(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  plan.prefixes = {"model.decoder.", "decoder.", ""};
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.positions, config.whole("max_position_embeddings", 1, widest, 2048));
  HL_TRY(plan.embedding_width, config.whole("word_embed_proj_dim", 1, widest, plan.width));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  plan.positions_key = "max_position_embeddings";
  plan.places_before = 2;
  plan.words = "embed_tokens";
  plan.places = "embed_positions";
  plan.project_in = "project_in";
  plan.project_out = "project_out";
  plan.final_norm = "final_layer_norm";
  plan.final_norm_needed = false;
  plan.logits = "lm_head";
  HL_TRY(const std::string activation, config.activation("activation_function", "relu"));
  HL_TRY(const bool before, config.flag("do_layer_norm_before", true));
  plan.layer = [=](LayerOfModel) {
    return LayerSettings{{{"norm_epsilon", 1e-5},
                          {"ffn_activation", activation},
                          {"block", std::string(before ? "pre_norm" : "post_norm")}}};
  };
  return plan;
}

}  // namespace headlight
