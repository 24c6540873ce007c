#include "engine/params/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace headlight {

namespace {

const ParamValue* found(const Preset& preset, std::string_view id) {
  const auto at =
      std::ranges::find(preset.params, id, [](const auto& item) -> const std::string& { return item.first; });
  return at == preset.params.end() ? nullptr : &at->second;
}

// What the preset makes of a parameter; none where it leaves it alone.
std::optional<ParamValue> key_heads(const Preset& preset, const ParamValues& values) {
  if (preset.queries_per_key_head == 0 || values.integer("heads") % preset.queries_per_key_head != 0) return {};
  return ParamValue(values.integer("heads") / preset.queries_per_key_head);
}

// Whether any of them sets it.
bool any_sets(std::span<const Preset> all, std::string_view id) {
  return std::ranges::any_of(all, [id](const Preset& preset) {
    return found(preset, id) || (id == "kv_heads" && preset.queries_per_key_head != 0);
  });
}

bool is_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all, const Preset& preset,
               const ParamValues& values) {
  for (const auto& [id, value] : preset.params)
    if (values.get(id) != value) return false;
  const auto heads = key_heads(preset, values);
  if (heads && values.get("kv_heads") != *heads) return false;
  return std::ranges::all_of(specs, [&](const ParamSpec& spec) {
    return found(preset, spec.id) || (heads && spec.id == "kv_heads") || values.get(spec.id) == spec.fallback ||
           !any_sets(all, spec.id);
  });
}

}  // namespace

ParamValues with_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all, const Preset& preset,
                        ParamValues values) {
  for (const ParamSpec& spec : specs)
    if (any_sets(all, spec.id)) values.infer(spec.id, spec.fallback);
  for (const auto& [id, value] : preset.params) values.infer(id, value);
  if (const auto heads = key_heads(preset, values)) values.infer("kv_heads", *heads);
  return values;
}

const Preset* matching_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all,
                              const ParamValues& values) {
  const auto at = std::ranges::find_if(all, [&](const Preset& p) { return is_preset(specs, all, p, values); });
  return at == all.end() ? nullptr : &*at;
}

std::string preset_titles(const std::vector<ParamSpec>& specs, const Preset& preset) {
  std::vector<std::string> words;
  for (const auto& [id, value] : preset.params) {
    const ParamSpec* spec = find_param(specs, id);
    const auto choice = std::ranges::find(spec->choices, value, [](const Choice& c) { return ParamValue(c.id); });
    const bool named = choice != spec->choices.end();
    words.push_back(spec->title);
    if (value != ParamValue(true)) words.back() += ": " + (named ? choice->title : to_string(value));
  }
  if (preset.queries_per_key_head != 0)
    words.push_back(fmt::format("{} query heads for each key head", preset.queries_per_key_head));
  return words.empty() ? "what other layers set is at its default" : fmt::format("{}", fmt::join(words, "; "));
}

std::string in_words(const Preset& preset) {
  std::vector<std::string> words;
  for (const auto& [id, value] : preset.params)
    words.push_back(value == ParamValue(true) ? id : fmt::format("{} {}", id, to_string(value)));
  if (preset.queries_per_key_head != 0) words.push_back(fmt::format("kv_heads heads/{}", preset.queries_per_key_head));
  return words.empty() ? "nothing that other layers set" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace headlight
