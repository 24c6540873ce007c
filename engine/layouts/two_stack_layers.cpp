// Layers of models with an encoder and a decoder: T5, DETR, BART, Whisper.
#include "engine/layouts/pieces.h"

namespace headlight {

using namespace pieces;

namespace {

// Without biases. What scores know of places is the first layer's, in every layer of its stack.
Pieces t5_attention(const std::string& at, const std::string& its_norm) {
  return joined({{{"w_q", at + "q.weight", How::cut},
                  {"w_k", at + "k.weight", How::cut},
                  {"w_v", at + "v.weight", How::cut},
                  {"w_o", at + "o.weight", How::transposed}},
                 root_norm("ln", its_norm)});
}
Pieces t5_ffn(const std::string& at, bool gated) {
  const std::string dense = at + "DenseReluDense.";
  Pieces list{{"w_1", dense + (gated ? "wi_0.weight" : "wi.weight"), How::transposed}};
  if (gated) list.push_back({"w_3", dense + "wi_1.weight", How::transposed});
  list.push_back({"w_2", dense + "wo.weight", How::transposed});
  return joined({list, root_norm("ln2", at + "layer_norm")});
}
Pieces t5_self() {
  return joined({t5_attention("0.SelfAttention.", "0.layer_norm"),
                 {{"bias_table", "0.SelfAttention.relative_attention_bias.weight", How::as_is, true, true}}});
}
Pieces t5_cross() {
  return t5_attention("1.EncDecAttention.", "1.layer_norm");
}

// What T5's layers have in common; no scores are divided by the width of a head.
Settings of_t5(bool ffn, bool gated) {
  Settings list{{"block", "pre_norm"}, {"norm", "rms_norm"},   {"bias", false},
                {"scale", 1.0},        {"norm_epsilon", 1e-6}, {"ffn", ffn}};
  if (ffn) list.push_back({"ffn_activation", gated ? "gelu_tanh" : "relu"});
  if (gated) list.push_back({"ffn_gated", true});
  return list;
}
Settings t5_places(const char* direction) {
  return {{"relative", "t5"}, {"bucket_direction", direction}};
}

Layouts t5_layouts() {
  const char *const encoder = "encoder.block.{l}.layer.", *const decoder = "decoder.block.{l}.layer.";
  Layouts list;
  for (const bool gated : {false, true})
    list.push_back({"t5", encoder, false, joined({t5_self(), t5_ffn("1.", gated)}),
                    joined(of_t5(true, gated), t5_places("both"))});
  for (const bool gated : {false, true})
    list.push_back({"t5", decoder, false, joined({t5_cross(), t5_ffn("2.", gated)}), of_t5(true, gated), "cross"});
  list.push_back(
      {"t5", decoder, false, t5_self(), joined(of_t5(false, false), joined(t5_places("past"), {{"mask", "causal"}}))});
  return list;
}

// DETR (Carion et al. 2020), BART (Lewis et al. 2020) and Whisper (Radford et al. 2022) have the same names in the
// library of Hugging Face: what stands elsewhere in a file tells them apart.
struct Kin {
  const char* id;
  std::vector<std::string> hints;
  const char *block, *activation;
  bool causal;  // the decoder
};

Layouts layouts_of(const Kin& kin) {
  const char *const encoder = "encoder.layers.{l}.", *const decoder = "decoder.layers.{l}.";
  const Pieces ffn = joined({feed_forward("fc1", "fc2"), norm("ln2", "final_layer_norm")});
  const Pieces self = joined({attention("self_attn."), norm("ln", "self_attn_layer_norm")});
  const Pieces cross = joined({attention("encoder_attn."), norm("ln", "encoder_attn_layer_norm"), ffn});
  const Settings whole{{"block", kin.block}, {"ffn", true}, {"ffn_activation", kin.activation}, {"norm_epsilon", 1e-5}};
  Settings alone{{"block", kin.block}, {"ffn", false}, {"norm_epsilon", 1e-5}};
  if (kin.causal) alone.push_back({"mask", "causal"});
  return {{kin.id, encoder, false, joined({self, ffn}), whole, "self", kin.hints},
          {kin.id, decoder, false, cross, whole, "cross", kin.hints},
          {kin.id, decoder, false, self, alone, "self", kin.hints}};
}

// DETR's own names are those of torch.
Layouts detr_layouts() {
  const Kin detr{
      "detr",
      {"query_embed.weight", "class_embed.weight", "bbox_embed.layers.0.weight", "query_position_embeddings.weight",
       "class_labels_classifier.weight", "bbox_predictor.layers.0.weight"},
      "post_norm",
      "relu",
      false};
  Layouts list = layouts_of(detr), own = list;
  own[0].pieces = torch_encoder();
  own[1].pieces = torch_decoder(true);
  own[2].pieces = torch_decoder(false);
  own.insert(own.end(), list.begin(), list.end());
  return own;
}

}  // namespace

Layouts two_stack_layouts() {
  Layouts list = t5_layouts();
  for (const Layouts& some :
       {detr_layouts(),
        layouts_of(
            {"bart", {"shared.weight", "final_logits_bias", "layernorm_embedding.weight"}, "post_norm", "gelu", true}),
        layouts_of({"whisper", {"encoder.conv1.weight"}, "pre_norm", "gelu", true})})
    list.insert(list.end(), some.begin(), some.end());
  return list;
}

}  // namespace headlight
