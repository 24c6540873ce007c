// How fast pairs of channels turn, as configs say it: the base, and what stretches it to longer texts.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/words.h"
#include "engine/models/plan.h"

namespace headlight {

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

// YaRN (Peng et al. 2023, section 3): pairs up to `low` stay, from `high` on they turn slower by the factor, and what
// lies between is mixed. Scores are multiplied by the square of `attention`.
struct Yarn {
  double factor = 1, low = 0, high = 0, attention = 1;

  double frequency(double plain, Index pair) const {
    const double share = std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    return plain * (1 - share) + plain / factor * share;
  }
};

Result<Yarn> yarn_of(const ModelConfig& scaling, double base, Index rotated, double usual_length) {
  for (const char* key : {"mscale", "mscale_all_dim"})
    if (scaling.has(key)) return fail("{}: {} is not run here", scaling.name(), key);
  Yarn yarn;
  HL_TRY(yarn.factor, scaling.real("factor", 1));
  HL_TRY(const double old, scaling.real("original_max_position_embeddings", usual_length));
  HL_TRY(const double fast, scaling.real("beta_fast", 32));
  HL_TRY(const double slow, scaling.real("beta_slow", 1));
  HL_TRY(const bool whole, scaling.flag("truncate", true));
  HL_TRY(yarn.attention, scaling.real("attention_factor", yarn.factor > 1 ? 0.1 * std::log(yarn.factor) + 1 : 1));
  const auto pair_of = [&](double turns) {
    return static_cast<double>(rotated) * std::log(old / (2 * std::numbers::pi * turns)) / (2 * std::log(base));
  };
  yarn.low = std::max(0.0, whole ? std::floor(pair_of(fast)) : pair_of(fast));
  yarn.high = std::min(static_cast<double>(rotated - 1), whole ? std::ceil(pair_of(slow)) : pair_of(slow));
  if (yarn.low == yarn.high) yarn.high += 0.001;
  return yarn;
}

// The object that says how; newer configs hold all of it in one, or in one for each kind of layer.
Result<ModelConfig> scaling_of(const ModelConfig& config, const char* kind_of_layer) {
  const char* key = config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const std::string name = fmt::format("{}: {}", config.name(), key);
  if (!config.has(key)) return ModelConfig(nlohmann::ordered_json::object(), name);
  if (!config.fields().at(key).is_object()) return fail("{} must be an object", name);
  const ModelConfig all(config.fields().at(key), name);
  if (!all.has(kind_of_layer)) return all;
  if (!all.fields().at(kind_of_layer).is_object()) return fail("{}: {} must be an object", name, kind_of_layer);
  return ModelConfig(all.fields().at(kind_of_layer), fmt::format("{}: {}", name, kind_of_layer));
}

}  // namespace

Result<RotarySettings> plans::rotary_settings(const ModelConfig& config, const RotaryRule& rule) {
  RotarySettings settings;
  const Index rotated = rule.rotated, width = rule.width;
  HL_TRY(const ModelConfig said, scaling_of(config, rule.kind_of_layer));
  const ModelConfig scaling =
      rule.scaled || config.has("rope_parameters") ? said : ModelConfig(nlohmann::ordered_json::object(), said.name());
  HL_TRY(const double usual, config.real(rule.base_key, rule.base));
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
  if (!plain_speeds && kind != "linear" && kind != "llama3" && kind != "yarn")
    return fail("{}: rope_type {} is not one that Headlight runs: default, linear, dynamic, llama3, yarn",
                config.name(), brief(kind));
  HL_TRY(const double factor, scaling.real("factor", 1));
  if (pairs < 1) return fail("{}: no channel of a head turns", config.name());
  Yarn yarn;
  if (kind == "yarn") {
    HL_TRY(const double length, config.real("max_position_embeddings", 4096));
    HL_TRY(yarn, yarn_of(scaling, base, rotated, length));
    settings.attention = yarn.attention;
  }
  Tensor frequencies = Tensor::uninitialized({pairs});
  for (Index c = 0; c < pairs; ++c) {
    const double plain = std::pow(base, -2 * static_cast<double>(c) / static_cast<double>(rotated));
    double scaled = plain;
    if (!plain_speeds) scaled = kind == "yarn" ? yarn.frequency(plain, c) : plain / factor;
    if (kind == "llama3") {
      HL_TRY(scaled, llama3(plain, scaling));
    }
    frequencies[c] = static_cast<float>(scaled);
  }
  settings.arrays.emplace("rotary_frequencies", std::move(frequencies));
  return settings;
}

}  // namespace headlight
