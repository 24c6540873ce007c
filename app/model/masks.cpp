#include "app/model/masks.h"

#include <algorithm>

#include "engine/core/system/paths.h"
#include "engine/variants/variant.h"

namespace headlight::app {

const Problem* problem_of(const Model& model) {
  const Problem* problem = model.shown.problem.get();
  return problem && problem->variant->info().id == model.document.experiment->variant ? problem : nullptr;
}

std::vector<ArraySpec> arrays_of(const MaskOption& option, const Experiment& experiment) {
  IdSet given;
  for (const auto& [id, input] : experiment.inputs) given.insert(id);
  return option.inputs(experiment.params, given);
}

std::vector<const MaskOption*> mask_rules(const Model& model) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (!variant) return {};
  const auto masks = variant->masks();
  return {masks.begin(), masks.end()};
}

const MaskOption* mask_rule(const Model& model, std::string_view id) {
  const auto list = mask_rules(model);
  const auto found = std::ranges::find_if(list, [&](const MaskOption* option) { return option->layer().id == id; });
  return found == list.end() ? nullptr : *found;
}

bool is_switched_on(const Model& model, const MaskOption& option) {
  const Experiment& experiment = *model.document.experiment;
  for (const ArraySpec& spec : arrays_of(option, experiment))
    if (option.choice() == nullptr && (experiment.inputs.contains(spec.id) || comes_from_file(model, spec.id)))
      return true;
  if (!problem_of(model)) return false;
  const auto& specs = find_variant(experiment.variant)->params();
  bool numbers = false, number_set = false;
  const auto usual = option.sample_values(*problem_of(model));
  for (const auto& [id, value] : usual) {
    const ParamSpec* spec = find_param(specs, id);
    if (!spec) return false;
    const bool choice = std::holds_alternative<std::string>(value);
    if (choice && experiment.params.get(id) != value) return false;
    if (!choice) numbers = true;
    if (!choice && experiment.params.get(id) != spec->fallback) number_set = true;
  }
  return !usual.empty() && (!numbers || number_set);
}

bool comes_from_file(const Model& model, const std::string& array) {
  return problem_of(model) && problem_of(model)->find(array) && !model.document.experiment->arrays.empty() &&
         !model.document.experiment->inputs.contains(array);
}

namespace {

// Whether keys are a window round each query, so that a mask is no n_q × n_k matrix.
bool has_windows(const Model& model) {
  const Step* map = model.trace()->map();
  const Axis* keys = map ? map->axis(AxisRole::key) : nullptr;
  return keys && (keys->window || keys->position_of);
}

}  // namespace

std::string why_not_paint(const Model& model) {
  if (!model.trace()) return "There is no result yet";
  if (mask_rules(model).empty()) return "This mechanism has no mask";
  if (has_windows(model))
    return "Cells cannot be painted here: each query has a window of keys of its own. With Scaled dot-product the keys "
           "are "
           "the pixels, and any pair can be painted";
  if (!model.trace()->map()) return "This run has no map of queries and keys";
  if (model.extent(AxisRole::query) * model.extent(AxisRole::key) > most_cells_of_mask)
    return fmt::format("A mask of more than {:.1f} million cells cannot be painted",
                       static_cast<double>(most_cells_of_mask) / 1e6);
  return {};
}

Index queries_of_mask(const Model& model) {
  const Axis* queries = model.trace()->map()->axis(AxisRole::query);
  return queries && queries->only ? *queries->only + 1 : model.extent(AxisRole::query);
}

MaskReading mask_of(const Model& model) {
  return read_mask(*model.trace(), model.document.look.batch, model.document.look.head);
}

Index own_key(const MaskReading& mask, Index row) {
  return std::clamp<Index>(mask.first_query + row, 0, mask.keys - 1);
}

std::vector<Index> document_starts(const Model& model) {
  std::vector<Index> starts;
  const MaskOption* option = mask_rule(model, "documents");
  if (!option || !problem_of(model)) return starts;
  const Tensor* now = problem_of(model)->find(option->sample_arrays(*problem_of(model)).front().first);
  if (!now || now->rank() != 1) return starts;
  for (Index i = 1; i < now->size(); ++i)
    if ((*now)[i] != (*now)[i - 1]) starts.push_back(i);
  return starts;
}

std::string why_not_switched(const Model& model, const MaskOption& option) {
  if (!problem_of(model)) return "There is no result yet";
  for (const ArraySpec& spec : arrays_of(option, *model.document.experiment))
    if (comes_from_file(model, spec.id))
      return fmt::format("{} comes from {}: change it there", spec.id,
                         utf8(path_of_utf8(model.document.experiment->arrays).filename()));
  return {};
}

}  // namespace headlight::app
