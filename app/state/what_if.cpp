#include "app/state/what_if.h"

#include <algorithm>

#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

const ParamSpec* param(const Variant& variant, std::string_view id) {
  const auto found = std::ranges::find(variant.params(), id, &ParamSpec::id);
  return found == variant.params().end() ? nullptr : &*found;
}

}  // namespace

std::vector<WhatIf> what_ifs(const Model& model) {
  const Experiment& experiment = model.document.experiment;
  const Variant* variant = find_variant(experiment.variant);
  std::vector<WhatIf> list;
  if (!variant) return list;
  const ParamValues& params = experiment.params;
  if (param(*variant, "scale"))
    list.push_back(params.is_automatic("scale") ? WhatIf{"Scale off", SetParam{"scale", 1.0, false}}
                                                : WhatIf{"Scale on", SetParam{"scale", std::monostate{}, false}});
  if (param(*variant, "temperature"))
    list.push_back(params.real("temperature") == 1 ? WhatIf{"Temperature 2", SetParam{"temperature", 2.0, false}}
                                                   : WhatIf{"Temperature 1", SetParam{"temperature", 1.0, false}});
  if (param(*variant, "mask"))
    list.push_back(params.choice("mask") == "none"
                       ? WhatIf{"Causal mask", SetParam{"mask", std::string("causal"), false}}
                       : WhatIf{"No mask", SetParam{"mask", std::string("none"), false}});
  if (const ParamSpec* normalizer = param(*variant, "normalizer"); normalizer && normalizer->choices.size() > 1) {
    const auto& all = normalizer->choices;
    const auto now = std::ranges::find(all, params.choice("normalizer"), &Choice::id) - all.begin();
    const auto& other = all[static_cast<std::size_t>(now + 1) % all.size()];
    list.push_back({other.id == "none" ? "Do not divide" : fmt::format("Divide by {}", other.title),
                    SetParam{"normalizer", other.id, false}});
  }
  if (const InputSpec* input = model.input(model.primary_input()))
    if (const auto* text = std::get_if<TextInput>(input))
      list.push_back({text->start_token ? "Hide start token" : "Show start token",
                      SetStartToken{model.primary_input(), !text->start_token}});
  if (list.size() > 5) list.erase(list.begin() + 5, list.end());
  return list;
}

}  // namespace headlight::app
