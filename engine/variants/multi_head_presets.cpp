// Layers that people know by a model's name, as parameters of multi_head.
#include <algorithm>
#include <sstream>

#include "engine/base/words.h"
#include "engine/variants/multi_head_words.h"

namespace headlight::multi_head_words {

namespace {

// true where there is no word, a whole number, one with a point or an exponent, or a choice.
ParamValue value_of(const std::string& word) {
  if (word.empty()) return true;
  if (const auto whole = parse_number<Index>(word)) return *whole;
  if (const auto number = parse_number<double>(word)) return *number;
  return word;
}

// `words` is what in_words() says: "mask causal, ffn".
Preset preset(const char* id, const char* title, const char* source, const std::string& words,
              Index queries_per_key_head = 0) {
  Preset made{id, title, source, {}, queries_per_key_head};
  std::istringstream parts(words);
  for (std::string part; std::getline(parts >> std::ws, part, ',');) {
    const auto space = std::min(part.find(' '), part.size());
    made.params.emplace_back(part.substr(0, space), value_of(part.substr(std::min(space + 1, part.size()))));
  }
  return made;
}

}  // namespace

std::span<const Preset> presets() {
  const std::string learned = "positions learned, positions_to inputs, ", t5 = "block pre_norm, norm rms_norm, ",
                    bert = ", ffn, ffn_activation gelu, bias, norm_epsilon ",
                    llama =
                        "rotary half, mask causal, block pre_norm, norm rms_norm, ffn, ffn_activation silu, ffn_gated";
  static const std::vector<Preset> list{
      preset("plain", "Plain attention", "Vaswani et al. 2017, section 3.2.1", ""),
      preset("transformer", "First transformer, encoder", "Vaswani et al. 2017, section 3.1",
             "positions sinusoidal, positions_to inputs, block post_norm, ffn"),
      preset("bert", "BERT", "Devlin et al. 2019, section 3", learned + "block post_norm" + bert + "1e-12"),
      preset("gpt_2", "GPT-2", "Radford et al. 2019, section 2.3",
             learned + "mask causal, block pre_norm, ffn, ffn_activation gelu_tanh, bias"),
      preset("vit", "ViT", "Dosovitskiy et al. 2021, section 3.1", learned + "block pre_norm" + bert + "1e-6"),
      preset("t5", "T5, encoder", "Raffel et al. 2020, section 2.1",
             "relative t5, scale 1.0, " + t5 + "norm_epsilon 1e-6, ffn"),
      preset("t5_decoder", "T5, decoder", "Raffel et al. 2020, section 2.1",
             "relative t5, bucket_direction past, mask causal, scale 1.0, " + t5 + "norm_epsilon 1e-6, ffn"),
      preset("transformer_xl", "Transformer-XL", "Dai et al. 2019, section 3.3",
             "relative transformer_xl, mask causal, block post_norm, ffn"),
      preset("bloom", "BLOOM", "Le Scao et al. 2022, section 3.2",
             "relative alibi, mask causal, block pre_norm, ffn, ffn_activation gelu_tanh, bias"),
      preset("gpt_j", "GPT-J", "Wang and Komatsuzaki 2021",
             "rotary interleaved, rotary_fraction 0.25, mask causal, block parallel, ffn, ffn_activation gelu_tanh"),
      preset("gpt_neox", "GPT-NeoX", "Black et al. 2022, section 2.1",
             "rotary half, rotary_fraction 0.25, mask causal, block parallel_two_norms, ffn, ffn_activation gelu"),
      preset("llama", "Llama", "Touvron et al. 2023, section 2.2", llama),
      preset("llama_3", "Llama 3", "Grattafiori et al. 2024, section 3.2", llama + ", rotary_base 500000.0", 4),
      preset("mistral", "Mistral", "Jiang et al. 2023, section 2", llama + ", window_left 4095"),
      preset("qwen_3", "Qwen 3", "Yang et al. 2025, section 2", llama + ", qk_norm rms_norm"),
      preset("llama_4", "Llama 4, local", "Meta 2025, Llama 4 model card", llama + ", chunk 8192"),
      preset("gemma_2", "Gemma 2, local", "Gemma Team 2024, section 2",
             "rotary half, mask causal, block sandwich_norm, norm rms_norm, ffn, ffn_activation gelu_tanh, ffn_gated, "
             "softcap 50.0, window_left 4095"),
      preset("gpt_oss", "gpt-oss, local, attention", "OpenAI 2025, section 2",
             "rotary half, rotary_base 150000.0, mask causal, window_left 127, normalize softmax_sink, norm rms_norm, "
             "bias"),
      preset("longformer", "Longformer, one projection", "Beltagy et al. 2020, section 3.1",
             "window_left 256, window_right 256, global_tokens 1"),
      preset("cait", "CaiT, without its layer scale", "Touvron et al. 2021, section 2",
             "talking_heads both, block pre_norm, ffn, ffn_activation gelu"),
      preset("differential", "Differential transformer", "Ye et al. 2024, section 2",
             "differential, rotary interleaved, mask causal, block pre_norm, norm rms_norm, ffn, ffn_activation silu, "
             "ffn_gated"),
      preset("detr", "DETR, encoder", "Carion et al. 2020, appendix A.4",
             "positions sinusoidal_2d, block post_norm, ffn, bias"),
  };
  return list;
}

}  // namespace headlight::multi_head_words
