#include "app/model/model.h"

#include <algorithm>

#include "app/model/document.h"
#include "app/model/network_run.h"
#include "app/reading/edits_offered.h"
#include "app/reading/inputs.h"
#include "engine/core/system/paths.h"
#include "engine/variants/variant.h"

namespace headlight::app {

Index Model::extent(AxisRole along) const {
  return shown.problem ? shown.problem->extent(along) : 1;
}

const Step* Model::step() const {
  if (!trace()) return nullptr;
  if (document.look.step.empty()) return trace()->default_step();
  if (const Step* found = trace()->find(document.look.step)) return found;
  return trace()->steps.empty() ? nullptr : &trace()->steps.back();
}

Index Model::layers_of_result() const {
  if (shows_network() || !trace()) return 0;
  const auto maps = maps_of_layers(*trace());
  return std::ranges::count_if(maps, [](const Step* map) { return map->info.layer.has_value(); });
}

int Model::stages() const {
  if (shows_network()) return net.run ? static_cast<int>(net.run->plan().layers) + 3 : 0;
  return trace() ? static_cast<int>(trace()->stages.size()) : 0;
}

int Model::stage() const {
  if (shows_network()) return net.run ? static_cast<int>(document.network->look.depth) : -1;
  const Step* shown_step = step();
  if (!shown_step) return -1;
  const Stage* stage = trace()->stage_of(shown_step->info.id);
  return stage ? static_cast<int>(stage - trace()->stages.data()) : -1;
}

std::string Model::primary_input() const {
  const Variant* variant = find_variant(document.experiment->variant);
  return variant ? variant->arrays(document.experiment->params, {}).inputs.front().id : "";
}

std::string Model::second_input() const {
  const Variant* variant = find_variant(document.experiment->variant);
  if (!variant) return "";
  const ArraySpecs specs = variant->arrays(document.experiment->params, {});
  const ArraySpec* second = headlight::second_input(specs);
  return second ? second->id : "";
}

bool Model::has_second_input() const {
  if (document.experiment->inputs.size() < 2) return false;
  const std::string second = second_input();
  return !second.empty() && document.experiment->inputs.contains(second);
}

const InputSpec* Model::input(const std::string& id) const {
  const auto found = document.experiment->inputs.find(id);
  if (found == document.experiment->inputs.end()) return nullptr;
  const bool from_file = !document.experiment->arrays.empty() && shown.problem &&
                         shown.problem->variant->info().id == document.experiment->variant &&
                         !is_used_as_given(*shown.problem, id, found->second);
  return from_file ? nullptr : &found->second;
}

const Preset* Model::preset() const {
  const Variant* variant = find_variant(document.experiment->variant);
  return variant ? matching_preset(variant->params(), variant->presets(), params()) : nullptr;
}

ParamValues Model::params() const {
  ParamValues values = document.experiment->params;
  if (!shown.problem || shown.problem->variant->info().id != document.experiment->variant) return values;
  for (const auto& [id, value] : shown.problem->params)
    if (!values.is_given(id)) values.infer(id, value);
  return values;
}

const std::string* Model::text_of(const std::string& input) const {
  const auto found = document.experiment->inputs.find(input);
  if (found == document.experiment->inputs.end()) return nullptr;
  const auto* text = std::get_if<TextInput>(&found->second);
  return text ? &text->text : nullptr;
}

const std::shared_ptr<const std::string>& Model::text() const {
  const bool same = text_.experiment == document.experiment && text_.network == document.network &&
                    text_.of_layer == document.layer_open;
  if (!text_.json || !same)
    text_ = {document.experiment,
             document.network,
             document.layer_open,
             std::make_shared<const std::string>(app::text_of(document)),
             nullptr,
             false};
  return text_.json;
}

bool Model::changed() const {
  const auto& now = text();
  if (!saved || now == saved) return !saved;
  if (text_.compared != saved) {
    text_.compared = saved;
    text_.equal = *now == *saved;
  }
  return !text_.equal;
}

bool Model::view_changed() const {
  return !shows_network() && view_of(document.look) != rest_view;
}

std::string Model::title() const {
  if (!path.empty()) return utf8(path.filename());
  return name.empty() ? "Example" : name;
}

Selection with_only_query(const Model& model, Selection selection) {
  if (model.shown.problem && model.shown.problem->only_query) selection.query = model.shown.problem->only_query;
  return selection;
}

bool shows_cell(const Model& model) {
  if (!model.step()) return false;
  Focus focus = focus_of(model.document.look);
  focus.selection = with_only_query(model, model.document.look.selection);
  const Slice slice = slice_of(*model.step(), focus);
  return (!slice.rows || selected_row(slice, focus.selection)) && selected_column(slice, focus.selection);
}

std::optional<Index> second_cell(const Model& model) {
  const Look& look = model.document.look;
  if (!look.second || !shows_pinned(model)) return std::nullopt;
  Focus focus = focus_of(look);
  focus.selection = with_only_query(model, *look.second);
  const Slice slice = slice_of(*model.step(), focus);
  const auto row = slice.rows ? selected_row(slice, focus.selection) : std::optional<Index>(0);
  const auto column = selected_column(slice, focus.selection);
  if (!row || !column) return std::nullopt;
  const Index cell = slice.cell_at(*row, *column);
  const auto first = cell_looked_at(*model.step(), focus_of(look));
  return first == cell ? std::nullopt : std::optional(cell);
}

bool shows_pinned(const Model& model) {
  return model.document.look.pinned && shows_cell(model);
}

}  // namespace headlight::app
