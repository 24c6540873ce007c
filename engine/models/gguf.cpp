// LLaMA and GPT-2 as llama.cpp's .gguf files have them: sizes stand in the file, and pairs of channels that turn lie
// beside each other.
#include <cmath>
#include <limits>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

// What the file says of its architecture, without "llama." before each key; and what of the arrays says a size.
Json facts_of(const GgufFile& file, const std::string& architecture) {
  Json fields = Json::object();
  for (const auto& [key, value] : file.pairs)
    if (key.starts_with(architecture + "."))
      std::visit([&, name = key.substr(architecture.size() + 1)](const auto& said) { fields[name] = said; }, value);
  fields["model_type"] = "gguf_" + architecture;
  for (const ArrayEntry& entry : file.arrays->entries())
    if (entry.name == "token_embd.weight") fields["vocab_size"] = entry.shape.front();
  return fields;
}

// How fast pairs turn: base^(−2c/r), slower by the linear factor and by those that the file holds.
Result<LayerSettings> gguf_rotary(const ModelConfig& config, Index rotated, Index width) {
  LayerSettings settings;
  HL_TRY(const double base, config.real("rope.freq_base", 10000));
  settings.params.emplace_back("rotary_base", base);
  if (rotated < 2 || rotated % 2 != 0 || rotated > width)
    return fail("{}: rope.dimension_count is {}: it must be an even number up to {}", config.name(), rotated, width);
  if (rotated != width)
    settings.params.emplace_back("rotary_fraction", static_cast<double>(rotated) / static_cast<double>(width));
  std::string kind = "none";
  double factor = 1;
  if (config.has("rope.scaling.type")) {
    HL_TRY(kind, config.word("rope.scaling.type", "none"));
  }
  if (kind != "none" && kind != "linear")
    return fail("{}: rope.scaling.type {} is not one that Headlight runs: none, linear", config.name(), brief(kind));
  if (kind == "linear") {
    HL_TRY(factor, config.real("rope.scaling.factor", 1));
  }
  const Json slower = config.has("rope_freqs") ? config.fields().at("rope_freqs") : Json::array();
  if (!slower.empty() && static_cast<Index>(slower.size()) != rotated / 2)
    return fail("{}: rope_freqs.weight holds {} numbers for {} pairs of channels", config.name(), slower.size(),
                rotated / 2);
  if (kind == "none" && slower.empty()) return settings;
  Tensor frequencies = Tensor::uninitialized({rotated / 2});
  for (Index c = 0; c < rotated / 2; ++c) {
    const double plain = std::pow(base, -2 * static_cast<double>(c) / static_cast<double>(rotated));
    const double by = slower.empty() ? 1 : slower[static_cast<std::size_t>(c)].get<double>();
    frequencies[c] = static_cast<float>(plain / (kind == "linear" ? factor : 1) / by);
  }
  settings.arrays.emplace("rotary_frequencies", std::move(frequencies));
  return settings;
}

}  // namespace

Result<ModelConfig> config_of_gguf(const GgufFile& file, const std::filesystem::path& path) {
  const std::string name = one_line(utf8(path));
  const auto found = file.pairs.find("general.architecture");
  const auto* architecture = found == file.pairs.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (!architecture) return fail("{}: does not say its general.architecture", name);
  if (*architecture != "llama" && *architecture != "gpt2")
    return fail("{}: general.architecture {} is not one that Headlight runs: llama, gpt2", name, brief(*architecture));
  Json fields = facts_of(file, *architecture);
  const ArraySource& arrays = *file.arrays;
  if (const std::size_t at = arrays.find("rope_freqs.weight"); at < arrays.entries().size()) {
    if (*element_count(arrays.entries()[at].shape) > 4096) return fail("{}: rope_freqs.weight is too long", name);
    HL_TRY(const NamedArray slower, arrays.read(at));
    fields["rope_freqs"] = Json::array();
    for (const float value : slower.values.values()) fields["rope_freqs"].push_back(value);
  }
  if (const auto words = file.pairs.find("tokenizer.ggml.tokens"); words != file.pairs.end())
    if (const auto* list = std::get_if<std::vector<std::string>>(&words->second)) fields["tokens"] = *list;
  return ModelConfig(std::move(fields), name);
}

Result<ModelPlan> plans::gguf(const ModelConfig& config) {
  ModelPlan plan;
  plan.layout = config.type();
  const bool llama = plan.layout == "gguf_llama";
  plan.type = llama ? "llama" : "gpt2";
  plan.prefixes = {""};
  plan.width_key = "embedding_length";
  Index experts = 0;
  if (config.has("expert_count")) {
    HL_TRY(experts, config.whole("expert_count", 0, most_heads));
  }
  if (experts > 0) return fail("{}: has {} experts, which Headlight does not run", config.name(), experts);
  HL_TRY(plan.layers, config.whole("block_count", 1, most_layers_of_model));
  HL_TRY(plan.heads, config.whole("attention.head_count", 1, most_heads));
  HL_TRY(plan.width, config.whole("embedding_length", 1, widest));
  HL_TRY(plan.key_heads, config.whole("attention.head_count_kv", 1, plan.heads, plan.heads));
  if (plan.heads % plan.key_heads != 0)
    return fail("{}: attention.head_count_kv {} does not divide attention.head_count {}", config.name(), plan.key_heads,
                plan.heads);
  HL_TRY(plan.head_width, config.whole("attention.key_length", 1, widest, std::max<Index>(1, plan.width / plan.heads)));
  HL_TRY(plan.vocabulary, config.whole("vocab_size", 1, largest_vocabulary));
  HL_TRY(plan.epsilon, llama ? config.real("attention.layer_norm_rms_epsilon", 1e-6)
                             : config.real("attention.layer_norm_epsilon", 1e-5));
  if (config.has("tokens")) plan.token_names = config.fields().at("tokens").get<std::vector<std::string>>();
  plan.words = "token_embd";
  plan.final_norm = "output_norm";
  plan.logits = "output";
  plan.tied = true;
  plan.root_norms = llama;
  if (!llama) {
    plan.places = "position_embd";
    plan.positions_key = "context_length";
    HL_TRY(plan.positions, config.whole("context_length", 1, widest));
    plan.layer = [epsilon = plan.epsilon](LayerOfModel) { return LayerSettings{{{"norm_epsilon", epsilon}}}; };
    return plan;
  }
  HL_TRY(plan.trained_for, config.whole("context_length", 1, Index{1} << 40, 0));
  HL_TRY(const Index rotated, config.whole("rope.dimension_count", 1, widest, plan.head_width));
  HL_TRY(const LayerSettings turns, gguf_rotary(config, rotated, plan.head_width));
  plan.layer = [turns, epsilon = plan.epsilon](LayerOfModel) {
    LayerSettings settings = turns;
    settings.params.emplace_back("norm_epsilon", epsilon);
    return settings;
  };
  return plan;
}

}  // namespace headlight
