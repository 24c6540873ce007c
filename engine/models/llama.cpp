// Touvron et al. 2023, LLaMA; Jiang et al. 2023, Mistral 7B; Yang et al. 2024, Qwen 2.
#include "engine/core/words.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

// Which layers see no farther than sliding_window tokens back; 0: it is none of them.
Result<std::function<Index(Index)>> windows(const ModelConfig& config, const ModelPlan& plan) {
  using Windows = std::function<Index(Index)>;
  const Windows none = [](Index) { return Index{0}; };
  if (plan.type == "llama") return none;
  // Mistral's null means that there is none; what is left out, the first model's 4096.
  const bool said = config.fields().contains("sliding_window");
  if (plan.type == "mistral") {
    if (said && !config.has("sliding_window")) return none;
    HL_TRY(const Index window, config.whole("sliding_window", 1, widest * 1024, 4096));
    return Windows([window](Index) { return window; });
  }
  HL_TRY(const Index window, config.whole("sliding_window", 1, widest * 1024, 4096));
  if (config.has("layer_types")) {
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
    return Windows([slides, window](Index l) { return slides[static_cast<std::size_t>(l)] ? window : 0; });
  }
  HL_TRY(const bool used, config.flag("use_sliding_window", false));
  if (!used || !config.has("sliding_window")) return none;
  HL_TRY(const Index first, config.whole("max_window_layers", 0, most_layers_of_model, 28));
  return Windows([first, window](Index l) { return l >= first ? window : 0; });
}

}  // namespace

Result<ModelPlan> plans::llama(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  plan.prefixes = {"model.", ""};
  const Index usual_keys = plan.type == "mistral" ? 8 : plan.heads;
  HL_TRY(plan.key_heads, config.whole("num_key_value_heads", 1, plan.heads, usual_keys));
  if (plan.heads % plan.key_heads != 0)
    return fail("{}: num_key_value_heads {} does not divide num_attention_heads {}", config.name(), plan.key_heads,
                plan.heads);
  HL_TRY(plan.head_width, config.whole("head_dim", 1, widest, std::max<Index>(1, plan.width / plan.heads)));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.trained_for, config.whole("max_position_embeddings", 1, Index{1} << 40, 0));
  HL_TRY(plan.epsilon, config.real("rms_norm_eps", 1e-6));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", false));
  plan.root_norms = true;
  plan.words = "embed_tokens";
  plan.final_norm = "norm";
  plan.logits = "lm_head";
  HL_TRY(const std::string activation, config.activation("hidden_act", "silu"));
  HL_TRY(const auto window_of, windows(config, plan));
  HL_TRY(const LayerSettings turning, rotary_settings(config, "rope_theta", plan.head_width, plan.head_width));
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel at) -> Result<LayerSettings> {
    LayerSettings settings = turning;
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    if (const Index window = window_of(at.layer); window > 0) settings.params.emplace_back("window_left", window - 1);
    return settings;
  };
  return plan;
}

}  // namespace headlight
