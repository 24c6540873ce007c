// BERT (Devlin et al. 2019) and its kin: RoBERTa (Liu et al. 2019), DistilBERT (Sanh et al. 2019); ESM (Rives et al.
// 2021; Lin et al. 2023), which reads proteins.
#include "engine/base/words.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

// What BERT and RoBERTa have in common.
Result<ModelPlan> encoder(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(plans::read_sizes(config, plan));
  plan.prefixes = {plan.type + ".", ""};
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.positions, config.whole("max_position_embeddings", 1, widest));
  HL_TRY(plan.type_count, config.whole("type_vocab_size", 1, widest, 2));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-12));
  plan.positions_key = "max_position_embeddings";
  plan.words = "embeddings.word_embeddings";
  plan.places = "embeddings.position_embeddings";
  plan.types = "embeddings.token_type_embeddings";
  plan.input_norm = "embeddings.LayerNorm";
  plan.class_names = plans::class_names(config);
  HL_TRY(plan.transform.activation, config.activation("hidden_act", "gelu"));
  HL_TRY(const bool decoder, config.flag("is_decoder", false));
  plan.layer = [activation = plan.transform.activation, decoder, epsilon = plan.epsilon](LayerOfModel) {
    LayerSettings settings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
    if (decoder) settings.params.emplace_back("mask", std::string("causal"));
    return settings;
  };
  return plan;
}

}  // namespace

Result<ModelPlan> plans::bert(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, encoder(config));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  plan.transform.dense = "cls.predictions.transform.dense";
  plan.transform.norm = "cls.predictions.transform.LayerNorm";
  set_logits("cls.predictions.decoder", plan);
  plan.logits_bias = "cls.predictions.bias";
  plan.pooler = "pooler.dense";
  plan.pair = "cls.seq_relationship";
  plan.pooled_classes = "classifier";
  return plan;
}

Result<ModelPlan> plans::roberta(const ModelConfig& config) {
  HL_TRY(ModelPlan plan, encoder(config));
  HL_TRY(plan.padding, config.whole("pad_token_id", 0, largest_vocabulary, 1));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  plan.transform = {"lm_head.dense", "gelu", "lm_head.layer_norm"};
  set_logits("lm_head.decoder", plan);
  plan.logits_bias = "lm_head.bias";
  plan.pooler = "pooler.dense";
  return plan;
}

Result<ModelPlan> plans::distilbert(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = "distilbert";
  plan.prefixes = {"distilbert.", ""};
  plan.width_key = "dim";
  HL_TRY(plan.layers, config.whole("n_layers", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("n_heads", 1, most_heads));
  HL_TRY(plan.width, config.whole("dim", 1, widest));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.positions, config.whole("max_position_embeddings", 1, widest));
  plan.epsilon = 1e-12;
  plan.positions_key = "max_position_embeddings";
  plan.words = "embeddings.word_embeddings";
  plan.places = "embeddings.position_embeddings";
  plan.input_norm = "embeddings.LayerNorm";
  HL_TRY(const std::string activation, config.activation("activation", "gelu"));
  plan.transform = {"vocab_transform", activation, "vocab_layer_norm"};
  plan.logits = "vocab_projector";
  plan.tied = true;
  plan.layer = [activation](LayerOfModel) {
    return LayerSettings{{{"norm_epsilon", 1e-12}, {"ffn_activation", activation}}};
  };
  return plan;
}

Result<ModelPlan> plans::esm(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  plan.prefixes = {"esm.", ""};
  HL_TRY(const std::string places, config.word("position_embedding_type", "absolute"));
  if (places != "rotary")
    return fail("{}: position_embedding_type {} is not one that Headlight runs: rotary", config.name(), brief(places));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-12));
  HL_TRY(const bool hidden_tokens, config.flag("token_dropout", false));
  if (hidden_tokens) {
    HL_TRY(plan.hidden_token, config.whole("mask_token_id", 0, largest_vocabulary));
  }
  HL_TRY(const bool norm_before, config.flag("emb_layer_norm_before", false));
  HL_TRY(const bool decoder, config.flag("is_decoder", false));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", true));
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  plan.words = "embeddings.word_embeddings";
  plan.input_norm = norm_before ? "embeddings.layer_norm" : "";
  plan.final_norm = "encoder.emb_layer_norm_after";
  plan.transform = {"lm_head.dense", "gelu", "lm_head.layer_norm"};
  set_logits("lm_head.decoder", plan);
  plan.logits_bias = "lm_head.bias";
  plan.pooler = "pooler.dense";
  HL_TRY(const RotarySettings turning,
         rotary_settings(config, {"rope_theta", plan.width / plan.heads, plan.width / plan.heads}));
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel) {
    LayerSettings settings{turning.params, turning.arrays};
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    if (decoder) settings.params.emplace_back("mask", std::string("causal"));
    return settings;
  };
  return plan;
}

}  // namespace headlight
