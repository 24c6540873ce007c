// BART (Lewis et al. 2020), which reads a text and writes one, and Whisper (Radford et al. 2022), which reads sound.
#include <cmath>

#include "engine/base/words.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

// What both have in common.
Result<ModelPlan> encoder_and_decoder(const ModelConfig& config, const char* block) {
  ModelPlan plan;
  plan.type = plan.layout = config.type();
  plan.prefixes = {"model.", ""};
  plan.width_key = "d_model";
  plan.names_stacks = true;
  HL_TRY(plan.layers, config.whole("encoder_layers", 1, most_layers_of_model));
  HL_TRY(plan.decoder_layers, config.whole("decoder_layers", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("encoder_attention_heads", 1, most_heads));
  HL_TRY(const Index decoder_heads, config.whole("decoder_attention_heads", 1, most_heads, plan.heads));
  if (decoder_heads != plan.heads)
    return fail("{}: encoder_attention_heads is {} and decoder_attention_heads {}: they must be the same",
                config.name(), plan.heads, decoder_heads);
  HL_TRY(plan.width, config.whole("d_model", 1, widest));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.start_token, config.whole("decoder_start_token_id", 0, plan.vocabulary - 1, 2));
  HL_TRY(plan.end_token, config.whole("eos_token_id", 0, largest_vocabulary, 2));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  HL_TRY(const bool scaled, config.flag("scale_embedding", false));
  if (scaled) plan.embedding_scale = std::sqrt(static_cast<double>(plan.width));
  plan.epsilon = 1e-5;
  HL_TRY(const std::string activation, config.activation("activation_function", "gelu"));
  plan.layer = [activation, block](LayerOfModel at) {
    LayerSettings settings{{{"norm_epsilon", 1e-5}, {"block", std::string(block)}}};
    if (at.part != ModelPart::decoder) settings.params.emplace_back("ffn_activation", activation);
    return settings;
  };
  return plan;
}

}  // namespace

Result<ModelPlan> plans::bart(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, encoder_and_decoder(config, "post_norm"));
  HL_TRY(plan.positions, config.whole("max_position_embeddings", 1, widest, 1024));
  plan.positions_key = "max_position_embeddings";
  plan.places_before = 2;
  plan.words = "shared";
  plan.words_else = "encoder.embed_tokens";
  plan.places = "encoder.embed_positions";
  plan.input_norm = "encoder.layernorm_embedding";
  plan.decoder_places = "decoder.embed_positions";
  plan.decoder_input_norm = "decoder.layernorm_embedding";
  plan.decoder_positions = plan.positions;
  set_logits("lm_head", plan);
  plan.logits_bias = "final_logits_bias";
  return plan;
}

Result<ModelPlan> plans::whisper(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, encoder_and_decoder(config, "pre_norm"));
  HL_TRY(plan.mel_bins, config.whole("num_mel_bins", 1, 4096, 80));
  HL_TRY(plan.positions, config.whole("max_source_positions", 1, widest, 1500));
  HL_TRY(plan.decoder_positions, config.whole("max_target_positions", 1, widest, 448));
  plan.positions_key = "max_target_positions";
  plan.words = "decoder.embed_tokens";
  plan.places = "encoder.embed_positions";
  plan.decoder_places = "decoder.embed_positions";
  plan.final_norm = "encoder.layer_norm";
  plan.decoder_norm = "decoder.layer_norm";
  set_logits("proj_out", plan);
  return plan;
}

}  // namespace headlight
