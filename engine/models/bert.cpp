// BERT (Devlin et al. 2019) and its kin: RoBERTa (Liu et al. 2019), DistilBERT (Sanh et al. 2019).
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
  plan.layer = [activation = plan.transform.activation, decoder,
                epsilon = plan.epsilon](LayerOfModel) -> Result<LayerSettings> {
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
  plan.logits = plan.tied ? "" : "cls.predictions.decoder";
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
  plan.logits = plan.tied ? "" : "lm_head.decoder";
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
  plan.layer = [activation](LayerOfModel) -> Result<LayerSettings> {
    return LayerSettings{{{"norm_epsilon", 1e-12}, {"ffn_activation", activation}}};
  };
  return plan;
}

}  // namespace headlight
