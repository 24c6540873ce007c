// Layers that people know by a model's name, as parameters of multi_head.
#include "engine/variants/multi_head_words.h"

namespace headlight::multi_head_words {

namespace {

using Params = std::vector<std::pair<std::string, ParamValue>>;

ParamValue word(const char* choice) {
  return std::string(choice);
}

Params together(Params first, Params rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

// What Llama's descendants share.
Params llama() {
  return {{"rotary", word("half")},
          {"mask", word("causal")},
          {"block", word("pre_norm")},
          {"norm", word("rms_norm")},
          {"ffn", true},
          {"ffn_activation", word("silu")},
          {"ffn_gated", true}};
}

// Gemma's gate has another bend.
Params gemma_2() {
  Params params = llama();
  for (auto& [id, value] : params) {
    if (id == "block") value = word("sandwich_norm");
    if (id == "ffn_activation") value = word("gelu_tanh");
  }
  return together(std::move(params), {{"softcap", 50.0}, {"window_left", Index{4095}}});
}

Params bert(const char* block, double epsilon) {
  return {{"positions", word("learned")},   {"positions_to", word("inputs")},
          {"block", word(block)},           {"ffn", true},
          {"ffn_activation", word("gelu")}, {"bias", true},
          {"norm_epsilon", epsilon}};
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> list{
      {"plain", "Plain attention", "Vaswani et al. 2017, section 3.2.1", {}},
      {"transformer",
       "First transformer, encoder",
       "Vaswani et al. 2017, section 3.1",
       {{"positions", word("sinusoidal")},
        {"positions_to", word("inputs")},
        {"block", word("post_norm")},
        {"ffn", true}}},
      {"bert", "BERT", "Devlin et al. 2019, section 3", bert("post_norm", 1e-12)},
      {"gpt_2",
       "GPT-2",
       "Radford et al. 2019, section 2.3",
       {{"positions", word("learned")},
        {"positions_to", word("inputs")},
        {"mask", word("causal")},
        {"block", word("pre_norm")},
        {"ffn", true},
        {"ffn_activation", word("gelu_tanh")},
        {"bias", true}}},
      {"vit", "ViT", "Dosovitskiy et al. 2021, section 3.1", bert("pre_norm", 1e-6)},
      {"t5",
       "T5, encoder",
       "Raffel et al. 2020, section 2.1",
       {{"relative", word("t5")},
        {"scale", 1.0},
        {"block", word("pre_norm")},
        {"norm", word("rms_norm")},
        {"norm_epsilon", 1e-6},
        {"ffn", true}}},
      {"t5_decoder",
       "T5, decoder",
       "Raffel et al. 2020, section 2.1",
       {{"relative", word("t5")},
        {"bucket_direction", word("past")},
        {"mask", word("causal")},
        {"scale", 1.0},
        {"block", word("pre_norm")},
        {"norm", word("rms_norm")},
        {"norm_epsilon", 1e-6},
        {"ffn", true}}},
      {"transformer_xl",
       "Transformer-XL",
       "Dai et al. 2019, section 3.3",
       {{"relative", word("transformer_xl")}, {"mask", word("causal")}, {"block", word("post_norm")}, {"ffn", true}}},
      {"bloom",
       "BLOOM",
       "Le Scao et al. 2022, section 3.2",
       {{"relative", word("alibi")},
        {"mask", word("causal")},
        {"block", word("pre_norm")},
        {"ffn", true},
        {"ffn_activation", word("gelu_tanh")},
        {"bias", true}}},
      {"gpt_j",
       "GPT-J",
       "Wang and Komatsuzaki 2021",
       {{"rotary", word("interleaved")},
        {"rotary_fraction", 0.25},
        {"mask", word("causal")},
        {"block", word("parallel")},
        {"ffn", true},
        {"ffn_activation", word("gelu_tanh")}}},
      {"gpt_neox",
       "GPT-NeoX",
       "Black et al. 2022, section 2.1",
       {{"rotary", word("half")},
        {"rotary_fraction", 0.25},
        {"mask", word("causal")},
        {"block", word("parallel_two_norms")},
        {"ffn", true},
        {"ffn_activation", word("gelu")}}},
      {"llama", "Llama", "Touvron et al. 2023, section 2.2", llama()},
      {"llama_3", "Llama 3", "Grattafiori et al. 2024, section 3.2", together(llama(), {{"rotary_base", 500000.0}}), 4},
      {"mistral", "Mistral", "Jiang et al. 2023, section 2", together(llama(), {{"window_left", Index{4095}}})},
      {"qwen_3", "Qwen 3", "Yang et al. 2025, section 2", together(llama(), {{"qk_norm", word("rms_norm")}})},
      {"llama_4", "Llama 4, local", "Meta 2025, Llama 4 model card", together(llama(), {{"chunk", Index{8192}}})},
      {"gemma_2", "Gemma 2, local", "Gemma Team 2024, section 2", gemma_2()},
      {"gpt_oss",
       "gpt-oss, local, attention",
       "OpenAI 2025, section 2",
       {{"rotary", word("half")},
        {"rotary_base", 150000.0},
        {"mask", word("causal")},
        {"window_left", Index{127}},
        {"normalize", word("softmax_sink")},
        {"norm", word("rms_norm")},
        {"bias", true}}},
      {"longformer",
       "Longformer, one projection",
       "Beltagy et al. 2020, section 3.1",
       {{"window_left", Index{256}}, {"window_right", Index{256}}, {"global_tokens", Index{1}}}},
      {"cait",
       "CaiT, without its layer scale",
       "Touvron et al. 2021, section 2",
       {{"talking_heads", word("both")}, {"block", word("pre_norm")}, {"ffn", true}, {"ffn_activation", word("gelu")}}},
      {"differential",
       "Differential transformer",
       "Ye et al. 2024, section 2",
       {{"differential", true},
        {"rotary", word("interleaved")},
        {"mask", word("causal")},
        {"block", word("pre_norm")},
        {"norm", word("rms_norm")},
        {"ffn", true},
        {"ffn_activation", word("silu")},
        {"ffn_gated", true}}},
      {"detr",
       "DETR, encoder",
       "Carion et al. 2020, appendix A.4",
       {{"positions", word("sinusoidal_2d")}, {"block", word("post_norm")}, {"ffn", true}, {"bias", true}}}};
  return list;
}

}  // namespace headlight::multi_head_words
