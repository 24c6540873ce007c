#include "engine/variants/presets.h"

#include <fmt/format.h>

#include <algorithm>

namespace headlight {

ParamValues with_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all, const Preset& preset,
                        ParamValues values) {
  const auto back_to_default = [&](const std::string& id) {
    const auto spec = std::ranges::find(specs, id, &ParamSpec::id);
    if (spec != specs.end()) static_cast<void>(values.set(id, spec->fallback));
  };
  for (const Preset& other : all) {
    for (const auto& [id, value] : other.params) back_to_default(id);
    if (other.queries_per_key_head != 0) back_to_default("kv_heads");
  }
  for (const auto& [id, value] : preset.params) static_cast<void>(values.set(id, value));
  if (preset.queries_per_key_head != 0)
    if (const Index heads = values.integer("heads"); heads % preset.queries_per_key_head == 0)
      static_cast<void>(values.set("kv_heads", heads / preset.queries_per_key_head));
  return values;
}

const Preset* preset_of(const std::vector<ParamSpec>& specs, std::span<const Preset> all, const ParamValues& values) {
  const auto found =
      std::ranges::find_if(all, [&](const Preset& p) { return with_preset(specs, all, p, values) == values; });
  return found == all.end() ? nullptr : &*found;
}

std::string in_words(const Preset& preset) {
  std::vector<std::string> words;
  for (const auto& [id, value] : preset.params)
    words.push_back(value == ParamValue(true) ? id : fmt::format("{} {}", id, to_string(value)));
  if (preset.queries_per_key_head != 0) words.push_back(fmt::format("kv_heads heads/{}", preset.queries_per_key_head));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace headlight
