// How fast pairs of channels turn, as configs say it: the base, and what stretches it to longer texts.
#include <cmath>
#include <numbers>

#include "engine/core/words.h"
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

}  // namespace headlight
