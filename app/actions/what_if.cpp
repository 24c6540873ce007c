#include "app/actions/what_if.h"

#include <algorithm>

#include "app/reading/edits_offered.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/measures/head_outputs.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

using List = std::vector<WhatIf>;

void add_params(List& list, const Variant& variant, const ParamValues& params) {
  if (find_param(variant.params(), "scale"))
    list.push_back(params.is_automatic("scale")
                       ? WhatIf{"scale-off", "Scale off", SetParam{"scale", 1.0, false}}
                       : WhatIf{"scale-on", "Scale on", SetParam{"scale", std::monostate{}, false}});
  if (find_param(variant.params(), "temperature"))
    list.push_back(params.real("temperature") == 1
                       ? WhatIf{"temperature-2", "Temperature 2", SetParam{"temperature", 2.0, false}}
                       : WhatIf{"temperature-1", "Temperature 1", SetParam{"temperature", 1.0, false}});
  if (find_param(variant.params(), "mask"))
    list.push_back(params.choice("mask") == "none"
                       ? WhatIf{"causal-mask", "Causal mask", SetParam{"mask", std::string("causal"), false}}
                       : WhatIf{"no-mask", "No mask", SetParam{"mask", std::string("none"), false}});
  if (const ParamSpec* normalizer = find_param(variant.params(), "normalizer");
      normalizer && normalizer->choices.size() > 1) {
    const auto& all = normalizer->choices;
    const auto now = std::ranges::find(all, params.choice("normalizer"), &Choice::id) - all.begin();
    const auto& other = all[static_cast<std::size_t>(now + 1) % all.size()];
    list.push_back({"normalizer-" + other.id,
                    other.id == "none" ? "Do not divide" : fmt::format("Divide by {}", other.title),
                    SetParam{"normalizer", other.id, false}});
  }
}

void add_positions(List& list, const Variant& variant, const ParamValues& params) {
  const ParamSpec* positions = find_param(variant.params(), "positions");
  if (!positions || positions->type != ParamType::choice || params.choice("positions") == "none" ||
      std::ranges::find(positions->choices, "none", &Choice::id) == positions->choices.end())
    return;
  list.push_back({"positions-off", "Positions off", SetParam{"positions", std::string("none"), false}});
}

// Classic mistakes, made on purpose where they would change something.
void add_mistakes(List& list, const Model& model, const Variant& variant, const ParamValues& params) {
  const ParamSpec* mistake = find_param(variant.params(), "mistake");
  if (!mistake || !model.trace() || !model.trace()->map()) return;
  const std::string& now = params.choice("mistake");
  if (now != "none")
    list.push_back({"mistake-undone", "Mistake undone", SetParam{"mistake", std::string("none"), false}});
  for (const Choice& choice : mistake->choices) {
    const bool of_masks = choice.id == "mask_after_softmax";
    const bool matters =
        of_masks ? masking_step(*model.trace(), *model.trace()->map()) != nullptr : model.extent(AxisRole::head) > 1;
    if (choice.id != "none" && choice.id != now && now == "none" && matters)
      list.push_back({"mistake-" + choice.id, choice.title, SetParam{"mistake", choice.id, false}});
  }
}

// One that can be made in this run, or taken back.
void add_edit(List& list, const Model& model, const Step& step, Edit edit, WhatIf make, WhatIf take_back) {
  edit.array = step.info.id;
  StepInfo info = step.info;
  info.minus_infinity_masks = info.role == Role::score;  // of those that are offered
  if (!check_edit(edit, 1, info)) return;
  const bool made = std::ranges::count(model.document.experiment->edits, edit) > 0;
  WhatIf what = made ? std::move(take_back) : std::move(make);
  what.edit = std::move(edit);
  list.push_back(std::move(what));
}

// An entry for each axis of the step: the span along that role, the whole axis along all others.
std::vector<std::optional<Span>> only_along(const Step& step, AxisRole role, Span span) {
  std::vector<std::optional<Span>> at;
  for (const Axis& axis : step.info.axes) at.push_back(role_along(axis) == role ? std::optional(span) : std::nullopt);
  return at;
}

// What the run itself could do otherwise, whatever the parameters: numbers of its steps are set.
void add_edits(List& list, const Model& model) {
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  if (!map) return;
  add_edit(list, model, *map, {.array = {}, .at = {}, .make = Edit::Make::uniform},
           {"uniform", "Uniform attention", EndEdit{}}, {"uniform-back", "Attention as learned", EndEdit{}});
  const Index head = model.document.look.head, heads = map->extent(AxisRole::head);
  if (const auto off = heads > 1 && head < heads ? edit_switching_off(*model.trace(), head) : std::nullopt)
    add_edit(list, model, *head_outputs(*model.trace()), *off,
             {"head-off", fmt::format("Head {} off", head), EndEdit{}},
             {"head-on", fmt::format("Head {} on", head), EndEdit{}});
  add_edit(list, model, *map, {.array = {}, .at = {}, .make = Edit::Make::permuted},
           {"permuted", "Permute weights", EndEdit{}}, {"permuted-back", "Weights in order", EndEdit{}});
  const Step* scores = scores_to_cut(*model.trace(), *map);
  if (!scores || map->extent(AxisRole::key) < 2) return;
  // Under a causal mask the first query would be left with nothing to see.
  Edit hide{.array = {}, .at = only_along(*scores, AxisRole::key, {0, 0}), .values = {-HUGE_VAL}};
  const Index queries = scores->extent(AxisRole::query);
  for (std::size_t i = 0; i < hide.at.size() && queries > 1; ++i)
    if (role_along(scores->info.axes[i]) == AxisRole::query) hide.at[i] = Span{1, queries - 1};
  add_edit(list, model, *scores, std::move(hide), {"first-key-hidden", "Hide first key", EndEdit{}},
           {"first-key-seen", "Show first key", EndEdit{}});
}

}  // namespace

std::vector<WhatIf> what_ifs(const Model& model) {
  const Experiment& experiment = *model.document.experiment;
  const Variant* variant = find_variant(experiment.variant);
  List list;
  if (!variant) return list;
  add_params(list, *variant, experiment.params);
  if (const InputSpec* input = model.input(model.primary_input()))
    if (const auto* text = std::get_if<TextInput>(input))
      list.push_back({text->start_token ? "start-token-off" : "start-token-on",
                      text->start_token ? "Hide start token" : "Show start token",
                      SetStartToken{model.primary_input(), !text->start_token}});
  add_positions(list, *variant, experiment.params);
  add_mistakes(list, model, *variant, experiment.params);
  add_edits(list, model);
  return list;
}

}  // namespace headlight::app
