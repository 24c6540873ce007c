// Layers of models that go on with a text: GPT-2 and its kin, LLaMA's family, GPT-NeoX, OPT.
#include "engine/layouts/pieces.h"

namespace headlight {

using namespace pieces;

namespace {

// GPT-2 keeps its matrices as (in, out), by columns; nanoGPT and minGPT hold those of nn.Linear under the same names.
Pieces gpt2(bool linear_layers) {
  const How as_kept = linear_layers ? How::transposed : How::as_is;
  const auto its_norm = linear_layers ? norm_perhaps_without_bias : norm;
  return joined({one_matrix("attn.c_attn", linear_layers ? How::cut_q : How::columns_q),
                 linear("o", "attn.c_proj", as_kept), its_norm("ln", "ln_1"), its_norm("ln2", "ln_2"),
                 linear("1", "mlp.c_fc", as_kept), linear("2", "mlp.c_proj", as_kept)});
}

// Elhage et al.'s names, as TransformerLens has them: heads stand apart, matrices are (in, out).
Pieces transformer_lens() {
  const auto pair = [](const char* which, const std::string& name, How how, How bias) {
    const std::string id = which;
    return Pieces{{"w_" + id, "attn.W_" + name, how}, {"b_" + id, "attn.b_" + name, bias, false}};
  };
  const auto lens_norm = [](const std::string& id, const std::string& name) {
    return Pieces{{id + "_gamma", name + ".w", How::as_is, false}, {id + "_beta", name + ".b", How::as_is, false}};
  };
  return joined({pair("q", "Q", How::in_heads, How::in_heads),
                 pair("k", "K", How::in_heads, How::in_heads),
                 pair("v", "V", How::in_heads, How::in_heads),
                 pair("o", "O", How::out_of_heads, How::as_is),
                 {{"w_1", "mlp.W_in", How::as_is},
                  {"b_1", "mlp.b_in", How::as_is, false},
                  {"w_2", "mlp.W_out", How::as_is},
                  {"b_2", "mlp.b_out", How::as_is, false}},
                 lens_norm("ln", "ln1"),
                 lens_norm("ln2", "ln2")});
}

Pieces llama_attention() {
  return attention("self_attn.", {.o = "o_proj"});
}
Pieces llama_ffn() {
  return feed_forward("mlp.gate_proj", "mlp.down_proj", "mlp.up_proj");
}
Pieces llama() {
  return joined({llama_attention(), llama_ffn(), root_norm("ln", "input_layernorm"),
                 root_norm("ln2", "post_attention_layernorm")});
}
// Queries with a bias, by which Qwen 2 is told from Llama.
Pieces qwen2() {
  Pieces list = llama();
  for (Piece& piece : list)
    if (piece.array == "b_q") piece.needed = true;
  return list;
}
// A norm of queries and keys over the channels of each head, by which Qwen 3 is told from both.
Pieces qk_norms(How how) {
  return joined({root_norm("q", "self_attn.q_norm", how), root_norm("k", "self_attn.k_norm", how)});
}
// Norms hold what γ differs from 1 by.
Pieces gemma() {
  return joined({llama_attention(), llama_ffn(), root_norm("ln", "input_layernorm", How::one_more),
                 root_norm("ln2", "post_attention_layernorm", How::one_more)});
}
// Norms before and after each part.
Pieces gemma2() {
  return joined({llama_attention(), llama_ffn(), root_norm("ln", "input_layernorm", How::one_more),
                 root_norm("ln_post", "post_attention_layernorm", How::one_more),
                 root_norm("ln2", "pre_feedforward_layernorm", How::one_more),
                 root_norm("ln2_post", "post_feedforward_layernorm", How::one_more)});
}
// Its experts are read by nobody here: attention alone.
Pieces gpt_oss() {
  return joined(
      {llama_attention(), {{"sink_logits", "self_attn.sinks", How::as_is}}, root_norm("ln", "input_layernorm")});
}
Pieces phi3() {
  return joined({one_matrix("self_attn.qkv_proj", How::grouped_q), linear("o", "self_attn.o_proj", How::transposed),
                 linear("1", "mlp.gate_up_proj", How::first_half), linear("3", "mlp.gate_up_proj", How::second_half),
                 linear("2", "mlp.down_proj", How::transposed), root_norm("ln", "input_layernorm"),
                 root_norm("ln2", "post_attention_layernorm")});
}
// Meta's own names; pairs of channels that turn lie beside each other.
Pieces llama_meta() {
  return joined({attention("attention.", {"wq", "wk", "wv", "wo"}),
                 feed_forward("feed_forward.w1", "feed_forward.w2", "feed_forward.w3"),
                 root_norm("ln", "attention_norm"), root_norm("ln2", "ffn_norm")});
}
Pieces gpt_neox() {
  return joined({one_matrix("attention.query_key_value", How::by_head_q),
                 linear("o", "attention.dense", How::transposed),
                 feed_forward("mlp.dense_h_to_4h", "mlp.dense_4h_to_h"), norm("ln", "input_layernorm"),
                 norm("ln2", "post_attention_layernorm")});
}
Pieces opt() {
  return joined({attention("self_attn."), norm("ln", "self_attn_layer_norm"), feed_forward("fc1", "fc2"),
                 norm("ln2", "final_layer_norm")});
}

// llama.cpp's names; all matrices are (out, in), of GPT-2, too.
Pieces gguf_llama() {
  return joined({attention("", {"attn_q", "attn_k", "attn_v", "attn_output"}),
                 feed_forward("ffn_gate", "ffn_down", "ffn_up"), root_norm("ln", "attn_norm"),
                 root_norm("ln2", "ffn_norm")});
}
Pieces gguf_gpt2() {
  return joined({one_matrix("attn_qkv", How::cut_q), linear("o", "attn_output", How::transposed),
                 feed_forward("ffn_up", "ffn_down"), norm("ln", "attn_norm"), norm("ln2", "ffn_norm")});
}

}  // namespace

Layouts decoder_layouts() {
  const Settings of_gpt2{{"block", "pre_norm"},
                         {"ffn", true},
                         {"mask", "causal"},
                         {"ffn_activation", "gelu_tanh"},
                         {"norm_epsilon", 1e-5}};
  const Settings of_nanogpt{{"block", "pre_norm"},
                            {"ffn", true},
                            {"mask", "causal"},
                            {"ffn_activation", "gelu", true},
                            {"norm_epsilon", 1e-5, true}};
  const Settings of_lens{{"block", "pre_norm"},
                         {"ffn", true},
                         {"mask", "causal"},
                         {"ffn_activation", "gelu_tanh", true},
                         {"norm_epsilon", 1e-5, true}};
  const Settings attends{{"norm", "rms_norm"}, {"mask", "causal"}, {"rotary", "half"}, {"norm_epsilon", 1e-6}};
  const Settings gated = joined(attends, {{"ffn", true}, {"ffn_gated", true}});
  const Settings of_llama = joined(gated, {{"block", "pre_norm"}, {"ffn_activation", "silu"}});
  const Settings of_qwen3 = joined(of_llama, {{"qk_norm", "rms_norm"}});
  const Settings of_gemma = joined(gated, {{"block", "pre_norm"}, {"ffn_activation", "gelu_tanh"}});
  const Settings of_gemma2 = joined(gated, {{"block", "sandwich_norm"},
                                            {"ffn_activation", "gelu_tanh"},
                                            {"scale", 1.0 / 16, true},
                                            {"softcap", 50.0, true}});
  const Settings of_gemma3 = joined(gated, {{"block", "sandwich_norm"},
                                            {"ffn_activation", "gelu_tanh"},
                                            {"qk_norm", "rms_norm"},
                                            {"scale", 1.0 / 16, true}});
  const Settings of_gpt_oss = joined(attends, {{"block", "pre_norm"}, {"ffn", false}, {"normalize", "softmax_sink"}});
  const Settings of_meta{{"block", "pre_norm"},      {"norm", "rms_norm"},        {"ffn", true},
                         {"ffn_gated", true},        {"mask", "causal"},          {"rotary", "interleaved"},
                         {"ffn_activation", "silu"}, {"norm_epsilon", 1e-5, true}};
  // rotary_pct of the configs that there are.
  const Settings of_gpt_neox{{"block", "parallel_two_norms"},
                             {"ffn", true},
                             {"ffn_activation", "gelu"},
                             {"mask", "causal"},
                             {"rotary", "half"},
                             {"rotary_fraction", 0.25, true},
                             {"norm_epsilon", 1e-5}};
  const Settings of_opt{
      {"block", "pre_norm"}, {"ffn", true}, {"mask", "causal"}, {"ffn_activation", "relu"}, {"norm_epsilon", 1e-5}};
  const char* const layers = "layers.{l}.";
  return {{"gpt2", "h.{l}.", true, gpt2(false), of_gpt2, "self", {}, nullptr, Aspect::wide},
          {"nanogpt", "h.{l}.", true, gpt2(true), of_nanogpt, "self", {}, nullptr, Aspect::tall},
          {"transformer_lens", "blocks.{l}.", true, transformer_lens(), of_lens},
          {"qwen3", layers, true, joined({llama(), qk_norms(How::as_is)}), of_qwen3},
          {"gemma3", layers, true, joined({gemma2(), qk_norms(How::one_more)}), of_gemma3},
          {"gemma2", layers, true, gemma2(), of_gemma2},
          {"gpt_oss",
           layers,
           true,
           gpt_oss(),
           of_gpt_oss,
           "self",
           {},
           nullptr,
           Aspect::any,
           {"mlp.", "post_attention_layernorm."}},
          {"phi3", layers, true, phi3(), of_llama},
          {"qwen2", layers, true, qwen2(), of_llama},
          {"llama", layers, true, llama(), of_llama},
          {"mistral", layers, true, llama(), of_llama},
          {"gemma", layers, true, gemma(), of_gemma},
          {"llama_meta", layers, true, llama_meta(), of_meta},
          {"gguf_llama", "blk.{l}.", true, gguf_llama(), of_meta},
          {"gguf_gpt2", "blk.{l}.", true, gguf_gpt2(), of_gpt2},
          {"gpt_neox", layers, true, gpt_neox(), of_gpt_neox},
          {"opt",
           "decoder.layers.{l}.",
           false,
           opt(),
           of_opt,
           "self",
           {"decoder.embed_positions.weight"},
           "encoder_attn.q_proj.weight"}};
}

}  // namespace headlight
