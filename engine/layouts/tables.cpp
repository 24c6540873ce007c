#include "engine/layouts/tables.h"

namespace headlight {

namespace {

#define HL_LINEAR(array, bias, name, how) \
  {array, name ".weight", how}, {         \
    bias, name ".bias", how, false        \
  }
#define HL_TURNED(array, bias, name)          \
  {array, name ".weight", How::transposed}, { \
    bias, name ".bias", How::as_is, false     \
  }
#define HL_NORM(which, name)                                                               \
  {which "_gamma", name ".weight", How::as_is}, {which "_beta", name ".bias", How::as_is}, \
      {which "_gamma", name ".gamma", How::as_is, false}, {                                \
    which "_beta", name ".beta", How::as_is, false                                         \
  }
#define HL_BIAS(bias, name) \
  { bias, name ".bias", How::as_is, false }

#define HL_TORCH_ATTENTION(before)                                                                          \
  {"w_q", before "in_proj_weight", How::cut_q}, {"w_k", before "in_proj_weight", How::cut_k},               \
      {"w_v", before "in_proj_weight", How::cut_v}, {"b_q", before "in_proj_bias", How::cut_q, false},      \
      {"b_k", before "in_proj_bias", How::cut_k, false}, {"b_v", before "in_proj_bias", How::cut_v, false}, \
      {"w_o", before "out_proj.weight", How::transposed}, {                                                 \
    "b_o", before "out_proj.bias", How::as_is, false                                                        \
  }

constexpr Piece torch_attention[] = {HL_TORCH_ATTENTION("")};
constexpr Piece torch_attention_apart[] = {
    {"w_q", "q_proj_weight", How::cut},          {"w_k", "k_proj_weight", How::cut},
    {"w_v", "v_proj_weight", How::cut},          {"b_q", "in_proj_bias", How::cut_q, false},
    {"b_k", "in_proj_bias", How::cut_k, false},  {"b_v", "in_proj_bias", How::cut_v, false},
    {"w_o", "out_proj.weight", How::transposed}, {"b_o", "out_proj.bias", How::as_is, false}};
constexpr Piece torch_encoder[] = {HL_TORCH_ATTENTION("self_attn."), {"w_1", "linear1.weight", How::transposed},
                                   HL_BIAS("b_1", "linear1"),        {"w_2", "linear2.weight", How::transposed},
                                   HL_BIAS("b_2", "linear2"),        HL_NORM("ln", "norm1"),
                                   HL_NORM("ln2", "norm2")};
constexpr Piece torch_decoder_self[] = {HL_TORCH_ATTENTION("self_attn."), HL_NORM("ln", "norm1")};
constexpr Piece torch_decoder_cross[] = {HL_TORCH_ATTENTION("multihead_attn."),
                                         {"w_1", "linear1.weight", How::transposed},
                                         HL_BIAS("b_1", "linear1"),
                                         {"w_2", "linear2.weight", How::transposed},
                                         HL_BIAS("b_2", "linear2"),
                                         HL_NORM("ln", "norm2"),
                                         HL_NORM("ln2", "norm3")};
constexpr Piece gpt2[] = {{"w_q", "attn.c_attn.weight", How::columns_q},
                          {"w_k", "attn.c_attn.weight", How::columns_k},
                          {"w_v", "attn.c_attn.weight", How::columns_v},
                          {"b_q", "attn.c_attn.bias", How::columns_q, false},
                          {"b_k", "attn.c_attn.bias", How::columns_k, false},
                          {"b_v", "attn.c_attn.bias", How::columns_v, false},
                          {"w_o", "attn.c_proj.weight", How::as_is},
                          HL_BIAS("b_o", "attn.c_proj"),
                          HL_NORM("ln", "ln_1"),
                          HL_NORM("ln2", "ln_2"),
                          {"w_1", "mlp.c_fc.weight", How::as_is},
                          HL_BIAS("b_1", "mlp.c_fc"),
                          {"w_2", "mlp.c_proj.weight", How::as_is},
                          HL_BIAS("b_2", "mlp.c_proj")};

#define HL_HUGGING_FACE(attention, q, k, v, o, ln, up, down, ln2)                                               \
  HL_LINEAR("w_q", "b_q", attention q, How::cut), HL_LINEAR("w_k", "b_k", attention k, How::cut),               \
      HL_LINEAR("w_v", "b_v", attention v, How::cut), {"w_o", o ".weight", How::transposed}, HL_BIAS("b_o", o), \
      {"w_1", up ".weight", How::transposed}, HL_BIAS("b_1", up), {"w_2", down ".weight", How::transposed},     \
      HL_BIAS("b_2", down), HL_NORM("ln", ln), HL_NORM("ln2", ln2)

constexpr Piece bert[] = {HL_HUGGING_FACE("attention.self.", "query", "key", "value", "attention.output.dense",
                                          "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                                          "output.LayerNorm")};
constexpr Piece distilbert[] = {HL_HUGGING_FACE("attention.", "q_lin", "k_lin", "v_lin", "attention.out_lin",
                                                "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")};
constexpr Piece vit[] = {HL_HUGGING_FACE("attention.attention.", "query", "key", "value", "attention.output.dense",
                                         "layernorm_before", "intermediate.dense", "output.dense", "layernorm_after")};

constexpr Piece timm_vit[] = {{"w_q", "attn.qkv.weight", How::cut_q},
                              {"w_k", "attn.qkv.weight", How::cut_k},
                              {"w_v", "attn.qkv.weight", How::cut_v},
                              {"b_q", "attn.qkv.bias", How::cut_q, false},
                              {"b_k", "attn.qkv.bias", How::cut_k, false},
                              {"b_v", "attn.qkv.bias", How::cut_v, false},
                              HL_TURNED("w_o", "b_o", "attn.proj"),
                              HL_TURNED("w_1", "b_1", "mlp.fc1"),
                              HL_TURNED("w_2", "b_2", "mlp.fc2"),
                              HL_NORM("ln", "norm1"),
                              HL_NORM("ln2", "norm2")};

// Norms without β: those of Llama.
#define HL_ROOT_NORM(which, name) \
  { which "_gamma", name ".weight", How::as_is }

// Of Llama, but for its queries.
#define HL_LLAMA                                                                                                \
  HL_LINEAR("w_k", "b_k", "self_attn.k_proj", How::cut), HL_LINEAR("w_v", "b_v", "self_attn.v_proj", How::cut), \
      HL_TURNED("w_o", "b_o", "self_attn.o_proj"), HL_TURNED("w_1", "b_1", "mlp.gate_proj"),                    \
      HL_TURNED("w_3", "b_3", "mlp.up_proj"), HL_TURNED("w_2", "b_2", "mlp.down_proj"),                         \
      HL_ROOT_NORM("ln", "input_layernorm"), HL_ROOT_NORM("ln2", "post_attention_layernorm")

constexpr Piece llama[] = {HL_LINEAR("w_q", "b_q", "self_attn.q_proj", How::cut), HL_LLAMA};
// Queries with a bias, by which Qwen 2 is told from Llama.
constexpr Piece qwen2[] = {
    {"w_q", "self_attn.q_proj.weight", How::cut}, {"b_q", "self_attn.q_proj.bias", How::cut}, HL_LLAMA};
constexpr Piece gpt_neox[] = {HL_LINEAR("w_q", "b_q", "attention.query_key_value", How::by_head_q),
                              HL_LINEAR("w_k", "b_k", "attention.query_key_value", How::by_head_k),
                              HL_LINEAR("w_v", "b_v", "attention.query_key_value", How::by_head_v),
                              HL_TURNED("w_o", "b_o", "attention.dense"),
                              HL_TURNED("w_1", "b_1", "mlp.dense_h_to_4h"),
                              HL_TURNED("w_2", "b_2", "mlp.dense_4h_to_h"),
                              HL_NORM("ln", "input_layernorm"),
                              HL_NORM("ln2", "post_attention_layernorm")};

// Without biases. What scores know of places is the first layer's, in every layer of its stack.
#define HL_T5_ATTENTION(at, norm)                                                                       \
  {"w_q", at "q.weight", How::cut}, {"w_k", at "k.weight", How::cut}, {"w_v", at "v.weight", How::cut}, \
      {"w_o", at "o.weight", How::transposed}, {                                                        \
    "ln_gamma", norm ".weight", How::as_is                                                              \
  }
#define HL_T5_PLACES \
  { "bias_table", "0.SelfAttention.relative_attention_bias.weight", How::as_is, true, true }
#define HL_T5_FFN(at)                                                                                                 \
  {"w_1", at "DenseReluDense.wi.weight", How::transposed}, {"w_2", at "DenseReluDense.wo.weight", How::transposed}, { \
    "ln2_gamma", at "layer_norm.weight", How::as_is                                                                   \
  }
#define HL_T5_GATED_FFN(at)                                      \
  {"w_1", at "DenseReluDense.wi_0.weight", How::transposed},     \
      {"w_3", at "DenseReluDense.wi_1.weight", How::transposed}, \
      {"w_2", at "DenseReluDense.wo.weight", How::transposed}, { \
    "ln2_gamma", at "layer_norm.weight", How::as_is              \
  }

constexpr Piece t5_encoder[] = {HL_T5_ATTENTION("0.SelfAttention.", "0.layer_norm"), HL_T5_PLACES, HL_T5_FFN("1.")};
constexpr Piece t5_encoder_gated[] = {HL_T5_ATTENTION("0.SelfAttention.", "0.layer_norm"), HL_T5_PLACES,
                                      HL_T5_GATED_FFN("1.")};
constexpr Piece t5_decoder_self[] = {HL_T5_ATTENTION("0.SelfAttention.", "0.layer_norm"), HL_T5_PLACES};
constexpr Piece t5_decoder_cross[] = {HL_T5_ATTENTION("1.EncDecAttention.", "1.layer_norm"), HL_T5_FFN("2.")};
constexpr Piece t5_decoder_cross_gated[] = {HL_T5_ATTENTION("1.EncDecAttention.", "1.layer_norm"),
                                            HL_T5_GATED_FFN("2.")};

// DETR as the library of Hugging Face has it; its own names are those of torch.
#define HL_DETR_ATTENTION(at, norm)                                                               \
  HL_LINEAR("w_q", "b_q", at "q_proj", How::cut), HL_LINEAR("w_k", "b_k", at "k_proj", How::cut), \
      HL_LINEAR("w_v", "b_v", at "v_proj", How::cut), HL_TURNED("w_o", "b_o", at "out_proj"), HL_NORM("ln", norm)
#define HL_DETR_FFN HL_TURNED("w_1", "b_1", "fc1"), HL_TURNED("w_2", "b_2", "fc2"), HL_NORM("ln2", "final_layer_norm")

constexpr Piece detr_encoder[] = {HL_DETR_ATTENTION("self_attn.", "self_attn_layer_norm"), HL_DETR_FFN};
constexpr Piece detr_decoder_self[] = {HL_DETR_ATTENTION("self_attn.", "self_attn_layer_norm")};
constexpr Piece detr_decoder_cross[] = {HL_DETR_ATTENTION("encoder_attn.", "encoder_attn_layer_norm"), HL_DETR_FFN};

constexpr Setting of_attention[] = {{"block", "bare"}, {"ffn", nullptr, false}};
constexpr Setting of_torch[] = {{"block", "post_norm", false, -1, true},
                                {"ffn", nullptr, true},
                                {"ffn_activation", "relu", false, -1, true},
                                {"norm_epsilon", nullptr, false, 1e-5, true}};
constexpr Setting of_decoder_self[] = {{"block", "post_norm", false, -1, true},
                                       {"ffn", nullptr, false},
                                       {"mask", "causal", false, -1, true},
                                       {"norm_epsilon", nullptr, false, 1e-5, true}};
constexpr Setting of_gpt2[] = {{"block", "pre_norm"},
                               {"ffn", nullptr, true},
                               {"mask", "causal"},
                               {"ffn_activation", "gelu_tanh"},
                               {"norm_epsilon", nullptr, false, 1e-5}};
constexpr Setting of_bert[] = {{"block", "post_norm"},
                               {"ffn", nullptr, true},
                               {"ffn_activation", "gelu"},
                               {"norm_epsilon", nullptr, false, 1e-12}};
constexpr Setting of_vit[] = {
    {"block", "pre_norm"}, {"ffn", nullptr, true}, {"ffn_activation", "gelu"}, {"norm_epsilon", nullptr, false, 1e-12}};
constexpr Setting of_timm_vit[] = {
    {"block", "pre_norm"}, {"ffn", nullptr, true}, {"ffn_activation", "gelu"}, {"norm_epsilon", nullptr, false, 1e-6}};

constexpr Setting of_llama[] = {
    {"block", "pre_norm"},      {"norm", "rms_norm"}, {"ffn", nullptr, true}, {"ffn_gated", nullptr, true},
    {"ffn_activation", "silu"}, {"mask", "causal"},   {"rotary", "half"},     {"norm_epsilon", nullptr, false, 1e-6}};
// rotary_pct of the configs that there are.
constexpr Setting of_gpt_neox[] = {{"block", "parallel_two_norms"},
                                   {"ffn", nullptr, true},
                                   {"ffn_activation", "gelu"},
                                   {"mask", "causal"},
                                   {"rotary", "half"},
                                   {"rotary_fraction", nullptr, false, 0.25, true},
                                   {"norm_epsilon", nullptr, false, 1e-5}};

// What T5's layers have in common; no scores are divided by the width of a head.
#define HL_OF_T5(with_ffn)                                                                             \
  {"block", "pre_norm"}, {"norm", "rms_norm"}, {"bias", nullptr, false}, {"scale", nullptr, false, 1}, \
      {"norm_epsilon", nullptr, false, 1e-6}, {                                                        \
    "ffn", nullptr, with_ffn                                                                           \
  }
#define HL_RELU \
  { "ffn_activation", "relu" }
#define HL_GATED_GELU             \
  {"ffn_gated", nullptr, true}, { \
    "ffn_activation", "gelu_tanh" \
  }
#define HL_PLACES(direction)      \
  {"relative", "t5"}, {           \
    "bucket_direction", direction \
  }

constexpr Setting of_t5_encoder[] = {HL_OF_T5(true), HL_RELU, HL_PLACES("both")};
constexpr Setting of_t5_encoder_gated[] = {HL_OF_T5(true), HL_GATED_GELU, HL_PLACES("both")};
constexpr Setting of_t5_decoder_self[] = {HL_OF_T5(false), HL_PLACES("past"), {"mask", "causal"}};
constexpr Setting of_t5_decoder_cross[] = {HL_OF_T5(true), HL_RELU};
constexpr Setting of_t5_decoder_cross_gated[] = {HL_OF_T5(true), HL_GATED_GELU};

constexpr Setting of_detr[] = {
    {"block", "post_norm"}, {"ffn", nullptr, true}, {"ffn_activation", "relu"}, {"norm_epsilon", nullptr, false, 1e-5}};
constexpr Setting of_detr_decoder_self[] = {
    {"block", "post_norm"}, {"ffn", nullptr, false}, {"norm_epsilon", nullptr, false, 1e-5}};

// What stands round DETR's transformer, under its own names and under the library's.
constexpr const char* round_detr[] = {"query_embed.weight",
                                      "class_embed.weight",
                                      "bbox_embed.layers.0.weight",
                                      "query_position_embeddings.weight",
                                      "class_labels_classifier.weight",
                                      "bbox_predictor.layers.0.weight"};

constexpr Unread unread[] = {
    {"bias_k", "a key of its own (add_bias_kv)"},
    {"bias_v", "a value of its own (add_bias_kv)"},
    {"self_attn.bias_k", "a key of its own (add_bias_kv)"},
    {"self_attn.bias_v", "a value of its own (add_bias_kv)"},
    {"ls1.gamma", "a scale of each channel of what attention hands on (LayerScale)"},
    {"ls2.gamma", "a scale of each channel of what the ffn hands on (LayerScale)"},
    {"gamma_1", "a scale of each channel of what attention hands on (LayerScale)"},
    {"gamma_2", "a scale of each channel of what the ffn hands on (LayerScale)"},
    {"attn.q_norm.weight", "a norm of queries"},
    {"attn.k_norm.weight", "a norm of keys"},
    {"attn.norm.weight", "a norm before the output projection"},
    {"attn.q_bias", "a bias of queries beside one of values alone (BEiT)"},
    {"attn.relative_position_bias_table", "a bias for each offset on a grid (Swin, BEiT)"},
};

constexpr LayoutTable layouts[] = {
    {"torch.MultiheadAttention", "", true, torch_attention, of_attention},
    {"torch.MultiheadAttention", "", true, torch_attention_apart, of_attention},
    {"torch.TransformerEncoderLayer",
     "layers.{l}.",
     true,
     torch_encoder,
     of_torch,
     "self",
     {},
     "multihead_attn.in_proj_weight"},
    {"torch.TransformerDecoderLayer", "layers.{l}.", true, torch_decoder_cross, of_torch, "cross"},
    {"torch.TransformerDecoderLayer", "layers.{l}.", true, torch_decoder_self, of_decoder_self},
    {"gpt2", "h.{l}.", true, gpt2, of_gpt2},
    {"bert", "encoder.layer.{l}.", true, bert, of_bert},
    {"roberta", "encoder.layer.{l}.", true, bert, of_bert},
    {"distilbert", "transformer.layer.{l}.", true, distilbert, of_bert},
    {"vit", "encoder.layer.{l}.", true, vit, of_vit},
    {"deit", "encoder.layer.{l}.", true, vit, of_vit},
    {"timm.vit", "blocks.{l}.", true, timm_vit, of_timm_vit},
    {"qwen2", "layers.{l}.", true, qwen2, of_llama},
    {"llama", "layers.{l}.", true, llama, of_llama},
    {"mistral", "layers.{l}.", true, llama, of_llama},
    {"gpt_neox", "layers.{l}.", true, gpt_neox, of_gpt_neox},
    {"t5", "encoder.block.{l}.layer.", false, t5_encoder, of_t5_encoder},
    {"t5", "encoder.block.{l}.layer.", false, t5_encoder_gated, of_t5_encoder_gated},
    {"t5", "decoder.block.{l}.layer.", false, t5_decoder_cross, of_t5_decoder_cross, "cross"},
    {"t5", "decoder.block.{l}.layer.", false, t5_decoder_cross_gated, of_t5_decoder_cross_gated, "cross"},
    {"t5", "decoder.block.{l}.layer.", false, t5_decoder_self, of_t5_decoder_self},
    {"detr", "encoder.layers.{l}.", false, torch_encoder, of_detr, "self", round_detr},
    {"detr", "decoder.layers.{l}.", false, torch_decoder_cross, of_detr, "cross", round_detr},
    {"detr", "decoder.layers.{l}.", false, torch_decoder_self, of_detr_decoder_self, "self", round_detr},
    {"detr", "encoder.layers.{l}.", false, detr_encoder, of_detr, "self", round_detr},
    {"detr", "decoder.layers.{l}.", false, detr_decoder_cross, of_detr, "cross", round_detr},
    {"detr", "decoder.layers.{l}.", false, detr_decoder_self, of_detr_decoder_self, "self", round_detr},
};

}  // namespace

std::span<const LayoutTable> all_layouts() {
  return layouts;
}

std::span<const Unread> unread_arrays() {
  return unread;
}

}  // namespace headlight
