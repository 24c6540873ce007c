// Layers of torch.nn: MultiheadAttention, TransformerEncoderLayer and TransformerDecoderLayer.
#include "engine/layouts/pieces.h"

namespace headlight {

using namespace pieces;

namespace {

// Of keys or values that are of another width than queries.
Pieces torch_attention_apart() {
  return {{"w_q", "q_proj_weight", How::cut},          {"w_k", "k_proj_weight", How::cut},
          {"w_v", "v_proj_weight", How::cut},          {"b_q", "in_proj_bias", How::cut_q, false},
          {"b_k", "in_proj_bias", How::cut_k, false},  {"b_v", "in_proj_bias", How::cut_v, false},
          {"w_o", "out_proj.weight", How::transposed}, {"b_o", "out_proj.bias", How::as_is, false}};
}

}  // namespace

Pieces pieces::torch_attention(const std::string& at) {
  return {{"w_q", at + "in_proj_weight", How::cut_q},       {"w_k", at + "in_proj_weight", How::cut_k},
          {"w_v", at + "in_proj_weight", How::cut_v},       {"b_q", at + "in_proj_bias", How::cut_q, false},
          {"b_k", at + "in_proj_bias", How::cut_k, false},  {"b_v", at + "in_proj_bias", How::cut_v, false},
          {"w_o", at + "out_proj.weight", How::transposed}, {"b_o", at + "out_proj.bias", How::as_is, false}};
}

Pieces pieces::torch_encoder() {
  return joined(
      {torch_attention("self_attn."), feed_forward("linear1", "linear2"), norm("ln", "norm1"), norm("ln2", "norm2")});
}

Pieces pieces::torch_decoder(bool cross) {
  if (!cross) return joined({torch_attention("self_attn."), norm("ln", "norm1")});
  return joined({torch_attention("multihead_attn."), feed_forward("linear1", "linear2"), norm("ln", "norm2"),
                 norm("ln2", "norm3")});
}

Layouts torch_layouts() {
  const Settings bare{{"block", "bare"}, {"ffn", false}};
  const Settings whole{
      {"block", "post_norm", true}, {"ffn", true}, {"ffn_activation", "relu", true}, {"norm_epsilon", 1e-5, true}};
  const Settings decoder_self{
      {"block", "post_norm", true}, {"ffn", false}, {"mask", "causal", true}, {"norm_epsilon", 1e-5, true}};
  const char* const attention = "torch.MultiheadAttention";
  const char* const decoder = "torch.TransformerDecoderLayer";
  return {{attention, "", true, torch_attention(""), bare},
          {attention, "", true, torch_attention_apart(), bare},
          {"torch.TransformerEncoderLayer",
           "layers.{l}.",
           true,
           torch_encoder(),
           whole,
           "self",
           {},
           "multihead_attn.in_proj_weight"},
          {decoder, "layers.{l}.", true, torch_decoder(true), whole, "cross"},
          {decoder, "layers.{l}.", true, torch_decoder(false), decoder_self}};
}

}  // namespace headlight
