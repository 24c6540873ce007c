// LLaMA (Touvron et al. 2023) and what is built like it: Mistral (Jiang et al. 2023), Qwen 2 and 3 (Yang et al. 2024,
// 2025), Gemma 1 to 3 (Gemma Team 2024, 2025), Phi-3 (Abdin et al. 2024), gpt-oss (OpenAI 2025).
#include <algorithm>
#include <cmath>

#include "engine/base/words.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

// What the members of the family differ by where their configs say nothing.
struct Member {
  const char* type;
  double epsilon = 1e-6;
  Index head_width = 0;  // 0: what the heads leave
  Index key_heads = 0;   // 0: as many as queries
  bool tied = false;
  double base = 10000;
  const char* activation = "silu";
  bool gemma = false;  // γ = 1 + w, tokens times √d
};
constexpr Member members[] = {
    {"llama"},
    {"mistral", 1e-6, 0, 8},
    {"qwen2"},
    {"qwen3", 1e-6, 128},
    {"gemma", 1e-6, 256, 0, true, 10000, "gelu_pytorch_tanh", true},
    {"gemma2", 1e-6, 256, 4, true, 10000, "gelu_pytorch_tanh", true},
    {"gemma3_text", 1e-6, 256, 4, true, 1e6, "gelu_pytorch_tanh", true},
    {"phi3", 1e-5},
    {"gpt_oss", 1e-5, 64, 8, false, 150000},
};

// Which layers see no farther than a window back.
struct Windows {
  Index size = 0;           // in tokens, with oneself; 0: no layer has one
  std::vector<bool> slide;  // of each layer

  bool at(Index layer) const { return slide[static_cast<std::size_t>(layer)]; }
};

template <typename Slides>
std::vector<bool> each_layer(const ModelPlan& plan, Slides slides) {
  std::vector<bool> all;
  for (Index l = 0; l < plan.layers; ++l) all.push_back(slides(l));
  return all;
}

Result<std::vector<bool>> layer_types(const ModelConfig& config, const ModelPlan& plan) {
  const auto& types = config.fields().at("layer_types");
  if (!types.is_array() || static_cast<Index>(types.size()) != plan.layers)
    return fail("{}: layer_types must be a list of {} words", config.name(), plan.layers);
  std::vector<bool> slides;
  for (const auto& type : types) {
    if (type != "sliding_attention" && type != "full_attention")
      return fail("{}: layer_types holds {}: full_attention or sliding_attention are run", config.name(),
                  brief(type.dump()));
    slides.push_back(type == "sliding_attention");
  }
  return slides;
}

Result<Windows> windows_of(const ModelConfig& config, const ModelPlan& plan) {
  const std::string& type = plan.type;
  Windows windows{0, each_layer(plan, [](Index) { return false; })};
  if (type == "llama" || type == "gemma") return windows;
  // A null of Mistral, Qwen 3 or Phi-3 means that there is none; what is left out is what the first model had.
  const bool said = config.fields().contains("sliding_window"), none = said && !config.has("sliding_window");
  if ((none && type != "qwen2") || (type == "phi3" && !said)) return windows;
  HL_TRY(windows.size, config.whole("sliding_window", 1, widest * 1024, type == "gpt_oss" ? 128 : 4096));
  if (type == "mistral") {
    windows.slide = each_layer(plan, [](Index) { return true; });
  } else if (config.has("layer_types")) {
    HL_TRY(windows.slide, layer_types(config, plan));
  } else if (type == "gemma3_text") {
    HL_TRY(const Index pattern, config.whole("sliding_window_pattern", 1, most_layers_of_model, 6));
    windows.slide = each_layer(plan, [pattern](Index l) { return (l + 1) % pattern != 0; });
  } else if (type == "gemma2" || type == "gpt_oss") {
    windows.slide = each_layer(plan, [](Index l) { return l % 2 == 0; });
  } else if (type == "phi3") {
    windows.slide = each_layer(plan, [](Index) { return true; });
  } else {
    HL_TRY(const bool used, config.flag("use_sliding_window", false));
    if (!used || !config.has("sliding_window")) return windows;
    HL_TRY(const Index first, config.whole("max_window_layers", 0, most_layers_of_model, 28));
    windows.slide = each_layer(plan, [first](Index l) { return l >= first; });
  }
  return windows;
}

// How much of a head turns: all of it, but in Phi-3.
Result<Index> rotated_channels(const ModelConfig& config, const ModelPlan& plan) {
  if (plan.type != "phi3") return plan.head_width;
  HL_TRY(const double share, config.real("partial_rotary_factor", 1));
  if (share > 1) return fail("{}: partial_rotary_factor is {}: it must be at most 1", config.name(), share);
  return static_cast<Index>(share * static_cast<double>(plan.head_width));
}

// gpt-oss stretches its positions where the config does not say otherwise.
ModelConfig with_usual_scaling(const ModelConfig& config) {
  if (config.type() != "gpt_oss" || config.fields().contains("rope_scaling") || config.has("rope_parameters"))
    return config;
  nlohmann::ordered_json fields = config.fields();
  fields["rope_scaling"] = {
      {"rope_type", "yarn"}, {"factor", 32}, {"truncate", false}, {"original_max_position_embeddings", 4096}};
  return ModelConfig(std::move(fields), config.name());
}

// Number above 0, or nothing where the config says null or 0 says none.
Result<double> cap_in(const ModelConfig& config, const char* key, double usual) {
  if (config.fields().contains(key) && !config.has(key)) return 0.0;
  if (usual == 0 && !config.has(key)) return 0.0;
  return config.real(key, usual);
}

Status refuse_experts(const ModelConfig& config, ModelPlan& plan) {
  if (plan.type == "gpt_oss" || config.has("num_local_experts") || config.has("num_experts"))
    plan.refusal =
        fmt::format("{} has experts, which Headlight does not run: open the attention of a layer", plan.type);
  return config.refuse("use_bidirectional_attention");
}

// Where the config does not say them, they are those of the family.
Status read_family_sizes(const ModelConfig& config, const Member& member, ModelPlan& plan) {
  const Index usual_keys = member.key_heads > 0 ? member.key_heads : plan.heads;
  HL_TRY(plan.key_heads, config.whole("num_key_value_heads", 1, plan.heads, usual_keys));
  if (plan.heads % plan.key_heads != 0)
    return fail("{}: num_key_value_heads {} does not divide num_attention_heads {}", config.name(), plan.key_heads,
                plan.heads);
  const Index usual_width = member.head_width > 0 ? member.head_width : std::max<Index>(1, plan.width / plan.heads);
  HL_TRY(plan.head_width, config.whole("head_dim", 1, widest, usual_width));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.trained_for, config.whole("max_position_embeddings", 1, Index{1} << 40, 0));
  HL_TRY(plan.epsilon, config.real("rms_norm_eps", member.epsilon));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", member.tied));
  return {};
}

}  // namespace

Result<ModelPlan> plans::llama(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  const Member& member =
      *std::ranges::find(members, plan.type, [](const Member& one) { return std::string(one.type); });
  if (plan.type == "gemma3_text") plan.layout = "gemma3";
  plan.prefixes = {"model.", ""};
  HL_CHECK(refuse_experts(config, plan));
  HL_CHECK(read_family_sizes(config, member, plan));
  plan.root_norms = true;
  plan.norms_add_one = member.gemma;
  if (member.gemma) plan.embedding_scale = std::sqrt(static_cast<double>(plan.width));
  plan.words = "embed_tokens";
  plan.final_norm = "norm";
  plan.logits = "lm_head";
  HL_TRY(const std::string activation,
         config.activation(member.gemma ? "hidden_activation" : "hidden_act", member.activation));
  HL_TRY(const Windows windows, windows_of(config, plan));
  HL_TRY(const Index rotated, rotated_channels(config, plan));
  const ModelConfig rotary = with_usual_scaling(config);
  HL_TRY(const RotarySettings turning,
         rotary_settings(rotary, {"rope_theta", rotated, plan.head_width, member.base, true, "full_attention"}));
  RotarySettings local = turning;
  if (plan.type == "gemma3_text") {
    HL_TRY(local, rotary_settings(
                      rotary, {"rope_local_base_freq", rotated, plan.head_width, 10000, false, "sliding_attention"}));
  }
  const bool capped = plan.type == "gemma2" || plan.type == "gemma3_text";
  double scale = 1 / std::sqrt(static_cast<double>(plan.head_width)), cap = 0;
  if (capped) {
    HL_TRY(const double scalar, config.real("query_pre_attn_scalar", 256));
    HL_TRY(cap, cap_in(config, "attn_logit_softcapping", plan.type == "gemma2" ? 50 : 0));
    HL_TRY(plan.logit_cap, cap_in(config, "final_logit_softcapping", plan.type == "gemma2" ? 30 : 0));
    scale = 1 / std::sqrt(scalar);
  }
  plan.layer = [=, epsilon = plan.epsilon, width = plan.head_width](LayerOfModel at) {
    const bool slides = windows.size > 0 && windows.at(at.layer);
    const RotarySettings& turns = slides ? local : turning;
    LayerSettings settings{turns.params, turns.arrays};
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    if (rotated != width)
      settings.params.emplace_back("rotary_fraction",
                                   static_cast<double>((rotated + 1) / 2 * 2) / static_cast<double>(width));
    if (capped) settings.params.emplace_back("softcap", cap);
    if (capped || turns.attention != 1)
      settings.params.emplace_back("scale", scale * turns.attention * turns.attention);
    if (slides) settings.params.emplace_back("window_left", windows.size - 1);
    return settings;
  };
  return plan;
}

}  // namespace headlight
