// Raffel et al. 2020, Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer.
#include <cmath>

#include "engine/base/words.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

struct FeedForward {
  std::string activation;
  bool gated = false;
};

// "relu", "gated-gelu": by the second the library means gelu_new.
Result<FeedForward> feed_forward(const ModelConfig& config) {
  HL_TRY(const std::string given, config.word("feed_forward_proj", "relu"));
  const bool gated = given.starts_with("gated-");
  const std::string name = gated ? given.substr(6) : given;
  for (const auto& [theirs, ours] : {std::pair("relu", "relu"), std::pair("gelu_new", "gelu_tanh"),
                                     std::pair("gelu", gated ? "gelu_tanh" : "gelu"), std::pair("silu", "silu")})
    if (name == theirs) return FeedForward{ours, gated};
  return fail("{}: feed_forward_proj {} is not one that Headlight runs: relu, gated-gelu, gelu, silu", config.name(),
              brief(given));
}

// T5EncoderModel, whose config is otherwise that of the whole model.
bool is_encoder_alone(const ModelConfig& config) {
  const auto list = config.fields().find("architectures");
  return list != config.fields().end() && list->is_array() && list->size() == 1 && (*list)[0].is_string() &&
         (*list)[0].get<std::string>().ends_with("EncoderModel");
}

}  // namespace

Result<ModelPlan> plans::t5(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = "t5";
  plan.prefixes = {""};
  plan.width_key = "d_model";
  HL_CHECK(config.refuse("is_decoder"));
  HL_TRY(const bool both, config.flag("is_encoder_decoder", true));
  const bool alone = !both || is_encoder_alone(config);
  HL_TRY(plan.layers, config.whole("num_layers", 1, most_layers_of_model));
  if (!alone) {
    HL_TRY(plan.decoder_layers, config.whole("num_decoder_layers", 1, most_layers_of_model, plan.layers));
  }
  HL_TRY(plan.heads, config.whole("num_heads", 1, most_heads));
  HL_TRY(plan.width, config.whole("d_model", 1, widest));
  HL_TRY(plan.head_width, config.whole("d_kv", 1, widest, 64));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.epsilon, config.real("layer_norm_epsilon", 1e-6));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  if (!alone) {
    HL_TRY(const Index padding, config.whole("pad_token_id", 0, plan.vocabulary - 1, 0));
    HL_TRY(plan.start_token, config.whole("decoder_start_token_id", 0, plan.vocabulary - 1, padding));
    HL_TRY(plan.end_token, config.whole("eos_token_id", 0, largest_vocabulary, 1));
  }
  HL_TRY(const Index buckets, config.whole("relative_attention_num_buckets", 2, 1024, 32));
  HL_TRY(const Index farthest, config.whole("relative_attention_max_distance", 2, 1'000'000, 128));
  HL_TRY(const FeedForward ffn, feed_forward(config));
  plan.root_norms = true;
  plan.names_stacks = true;
  plan.words = "shared";
  plan.words_else = "encoder.embed_tokens";
  plan.final_norm = "encoder.final_layer_norm";
  plan.decoder_norm = "decoder.final_layer_norm";
  set_logits("lm_head", plan);
  plan.tied_scale = 1 / std::sqrt(static_cast<double>(plan.width));
  if (alone) plan.drop_decoder();
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel at) {
    LayerSettings settings{{{"norm_epsilon", epsilon}}};
    if (at.part != ModelPart::decoder) {
      settings.params.emplace_back("ffn_activation", ffn.activation);
      settings.gated = ffn.gated;
    }
    if (at.part == ModelPart::cross) return settings;
    settings.params.emplace_back("buckets", buckets);
    settings.params.emplace_back("max_distance", farthest);
    return settings;
  };
  return plan;
}

}  // namespace headlight
