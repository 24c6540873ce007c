// Models that go on with a text: GPT-2, the LLaMA family and GPT-NeoX, and the rotary positions of most of them.
#include <cmath>
#include <numbers>

#include "engine/core/words.h"
#include "engine/models/plan.h"

namespace headlight {

// Radford et al. 2019, Language Models are Unsupervised Multitask Learners.
Result<ModelPlan> plans::gpt2(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = "gpt2";
  plan.prefixes = {"transformer.", ""};
  plan.width_key = "n_embd";
  HL_TRY(plan.layers, config.whole("n_layer", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("n_head", 1, most_heads));
  HL_TRY(plan.width, config.whole("n_embd", 1, widest));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  plan.positions_key = config.has("n_positions") ? "n_positions" : "n_ctx";
  HL_TRY(plan.positions, config.whole(plan.positions_key.c_str(), 1, widest));
  HL_TRY(plan.epsilon, config.real("layer_norm_epsilon", 1e-5));
  plan.words = "wte";
  plan.places = "wpe";
  plan.final_norm = "ln_f";
  plan.logits = "lm_head";
  plan.tied = true;
  HL_TRY(const std::string activation, config.activation("activation_function", "gelu_new"));
  HL_TRY(const bool scaled, config.flag("scale_attn_weights", true));
  HL_TRY(const bool by_layer, config.flag("scale_attn_by_inverse_layer_idx", false));
  const double root = scaled ? 1 / std::sqrt(static_cast<double>(plan.width / plan.heads)) : 1;
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel at) -> Result<LayerSettings> {
    LayerSettings settings{{{"norm_epsilon", epsilon}, {"ffn_activation", activation}}};
    if (!scaled || by_layer)
      settings.params.emplace_back("scale", root / static_cast<double>(by_layer ? at.layer + 1 : 1));
    return settings;
  };
  return plan;
}

// How fast pairs of channels turn, as configs say it: the base, and what stretches it to longer texts.

namespace {

// Llama 3's: long waves are stretched, short ones stay, and what lies between is mixed (Grattafiori et al. 2024).
Result<double> llama3(double frequency, const ModelConfig& scaling) {
  HL_TRY(const double factor, scaling.real("factor", 8));
  HL_TRY(const double low, scaling.real("low_freq_factor", 1));
  HL_TRY(const double high, scaling.real("high_freq_factor", 4));
  HL_TRY(const double old, scaling.real("original_max_position_embeddings", 8192));
  if (!(high > low)) return fail("{}: high_freq_factor must be above low_freq_factor", scaling.name());
  const double wave = 2 * std::numbers::pi / frequency;
  if (wave < old / high) return frequency;
  if (wave > old / low) return frequency / factor;
  const double t = (old / wave - low) / (high - low);
  return (1 - t) * frequency / factor + t * frequency;
}

}  // namespace

Result<LayerSettings> plans::rotary_settings(const ModelConfig& config, const char* base_key, Index rotated,
                                             Index width) {
  LayerSettings settings;
  // Newer configs hold all of it in one object.
  const char* key = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  if (config.has(key) && !config.fields().at(key).is_object())
    return fail("{}: {} must be an object", config.name(), key);
  const ModelConfig scaling(config.has(key) ? config.fields().at(key) : nlohmann::ordered_json::object(),
                            fmt::format("{}: {}", config.name(), key));
  HL_TRY(const double usual, config.real(base_key, 10000));
  HL_TRY(const double base, scaling.real("rope_theta", usual));
  settings.params.emplace_back("rotary_base", base);
  HL_TRY(const std::string old_kind, scaling.word("type", "default"));
  HL_TRY(const std::string kind, scaling.word("rope_type", old_kind.c_str()));
  // Channels turn in pairs. Of an odd number the Transformers library (4.48 and later; before it stopped with an error)
  // takes one channel more, and the speeds are those of the odd number.
  const Index pairs = (rotated + 1) / 2;
  if (2 * pairs > width)
    return fail("{}: all {} channels of a head turn, and channels turn in pairs: it must be an even number",
                config.name(), width);
  // Dynamic stretching begins beyond what the model was trained for.
  const bool plain_speeds = kind == "default" || kind == "dynamic";
  if (plain_speeds && rotated % 2 == 0) return settings;
  if (!plain_speeds && kind != "linear" && kind != "llama3")
    return fail("{}: rope_type {} is not one that Headlight runs: default, linear, dynamic, llama3", config.name(),
                brief(kind));
  HL_TRY(const double factor, scaling.real("factor", 1));
  if (pairs < 1) return fail("{}: no channel of a head turns", config.name());
  Tensor frequencies = Tensor::uninitialized({pairs});
  for (Index c = 0; c < pairs; ++c) {
    const double plain = std::pow(base, -2 * static_cast<double>(c) / static_cast<double>(rotated));
    double scaled = plain_speeds ? plain : plain / factor;
    if (kind == "llama3") {
      HL_TRY(scaled, llama3(plain, scaling));
    }
    frequencies[c] = static_cast<float>(scaled);
  }
  settings.arrays.emplace("rotary_frequencies", std::move(frequencies));
  return settings;
}

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

// Touvron et al. 2023, LLaMA; Jiang et al. 2023, Mistral 7B; Yang et al. 2024, Qwen 2.
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

// Black et al. 2022, GPT-NeoX-20B; Pythia (Biderman et al. 2023).
Result<ModelPlan> plans::gpt_neox(const ModelConfig& config) {
  ModelPlan plan;
  HL_CHECK(read_sizes(config, plan));
  plan.prefixes = {"gpt_neox.", ""};
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.trained_for, config.whole("max_position_embeddings", 1, Index{1} << 40, 0));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-5));
  HL_TRY(plan.tied, config.flag("tie_word_embeddings", false));
  plan.words = "embed_in";
  plan.final_norm = "final_layer_norm";
  plan.logits = "embed_out";
  HL_TRY(const std::string activation, config.activation("hidden_act", "gelu"));
  HL_TRY(const bool parallel, config.flag("use_parallel_residual", true));
  HL_TRY(const double share, config.real("rotary_pct", 0.25));
  if (share > 1) return fail("{}: rotary_pct is {}: it must be at most 1", config.name(), share);
  const Index width = plan.width / plan.heads;
  const auto rotated = static_cast<Index>(share * static_cast<double>(width));
  HL_TRY(const LayerSettings turning, rotary_settings(config, "rotary_emb_base", rotated, width));
  const double turned =
      rotated % 2 == 0 ? share : static_cast<double>(rotated + 1) / static_cast<double>(width);  // in pairs
  plan.layer = [=, epsilon = plan.epsilon](LayerOfModel) -> Result<LayerSettings> {
    LayerSettings settings = turning;
    settings.params.emplace_back("norm_epsilon", epsilon);
    settings.params.emplace_back("ffn_activation", activation);
    settings.params.emplace_back("rotary_fraction", turned);
    settings.params.emplace_back("block", std::string(parallel ? "parallel_two_norms" : "pre_norm"));
    return settings;
  };
  return plan;
}

}  // namespace headlight
