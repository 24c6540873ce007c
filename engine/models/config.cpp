#include "engine/models/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/core/system/paths.h"
#include "engine/core/words.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"

namespace headlight {

Result<ModelConfig> ModelConfig::read(const std::filesystem::path& folder) {
  constexpr std::uint64_t largest = 16'000'000;  // bytes
  const auto path = folder / "config.json";
  const std::string name = one_line(utf8(path));
  HL_TRY(const std::string text, read_file(path, largest));
  auto fields = read_json(text);
  if (!fields) return fail("{}: {}", name, message_line(fields.error().message));
  if (!fields->is_object()) return fail("{}: is {}: a model's config is an object", name, kind_of(*fields));
  return ModelConfig(std::move(*fields), name);
}

std::string ModelConfig::type() const {
  return has("model_type") && fields_.at("model_type").is_string() ? fields_.at("model_type").get<std::string>() : "";
}

Result<Index> ModelConfig::whole(const char* key, Index least, Index most, std::optional<Index> fallback) const {
  if (!has(key)) {
    if (fallback) assumed_.push_back(fmt::format("{} {}", key, *fallback));
    if (fallback) return *fallback;
    return fail("{}: {} is missing", name_, key);
  }
  const Json& value = fields_.at(key);
  const bool is_whole = value.is_number_integer() && value >= least && value <= most;
  if (!is_whole)
    return fail("{}: {} is {}: it must be a whole number from {} to {}", name_, key, kind_of(value), least, most);
  return value.get<Index>();
}

Result<double> ModelConfig::real(const char* key, double fallback) const {
  if (!has(key)) {
    assumed_.push_back(fmt::format("{} {:g}", key, fallback));
    return fallback;
  }
  const Json& value = fields_.at(key);
  if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
    return fail("{}: {} is {}: it must be a number above 0", name_, key, kind_of(value));
  return value.get<double>();
}

Result<bool> ModelConfig::flag(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!fields_.at(key).is_boolean())
    return fail("{}: {} is {}: it must be true or false", name_, key, kind_of(fields_.at(key)));
  return fields_.at(key).get<bool>();
}

Result<std::string> ModelConfig::word(const char* key, const char* fallback) const {
  if (!has(key)) {
    assumed_.push_back(fmt::format("{} {}", key, fallback));
    return std::string(fallback);
  }
  if (!fields_.at(key).is_string())
    return fail("{}: {} is {}: it must be a word", name_, key, kind_of(fields_.at(key)));
  return fields_.at(key).get<std::string>();
}

Result<std::string> ModelConfig::activation(const char* key, const char* fallback) const {
  constexpr std::array<std::pair<const char*, const char*>, 7> known{{{"gelu", "gelu"},
                                                                      {"gelu_new", "gelu_tanh"},
                                                                      {"gelu_pytorch_tanh", "gelu_tanh"},
                                                                      {"gelu_fast", "gelu_tanh"},
                                                                      {"relu", "relu"},
                                                                      {"silu", "silu"},
                                                                      {"swish", "silu"}}};
  HL_TRY(const std::string name, word(key, fallback));
  for (const auto& [theirs, ours] : known)
    if (name == theirs) return std::string(ours);
  return fail("{}: {} {} is not one that Headlight runs: gelu, gelu_new, relu, silu", name_, key, brief(name));
}

Status ModelConfig::refuse(const char* key) const {
  HL_TRY(const bool set, flag(key, false));
  if (set) return fail("{}: {} is true, which is not run here", name_, key);
  return {};
}

}  // namespace headlight
