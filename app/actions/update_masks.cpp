// The mask laboratory: rules switched on and off, the arrays that they go by, and cells that are painted over them.
#include <algorithm>

#include "app/actions/updating.h"
#include "app/model/masks.h"
#include "app/reading/masks/mask_code.h"
#include "app/reading/masks/mask_layers.h"
#include "engine/io/experiment_edits.h"
#include "engine/variants/mask_option.h"

namespace headlight::app {

namespace {

// Paints cells over the rules. A cell that the rules already set so is not painted.
struct Painter {
  const Model& model;
  Index queries, keys;  // of the map
  Index first;          // of the queries that were computed
  Paint paint;

  explicit Painter(const Model& of)
      : model(of),
        queries(of.trace()->map()->extent(AxisRole::query)),
        keys(of.trace()->map()->extent(AxisRole::key)),
        first(queries_of_mask(of) - queries),
        paint(paint_from(of.document.experiment->edits, queries_of_mask(of), keys)) {
    if (!paint.on) paint = {};
  }
  bool rules_hide(Index query, Index key) const {
    return app::rules_hide(*model.trace(), model.document.look.batch, model.document.look.head, query - first, key);
  }
  void set(Index query, Index key, bool hide) {
    if (query < first || query >= first + queries || key < 0 || key >= keys) return;
    if (rules_hide(query, key) == hide)
      paint.cells.erase({query, key});
    else
      paint.cells[{query, key}] = hide;
  }
  // As it is asked, not as the run that is shown has it.
  bool hidden(Index query, Index key) const {
    const auto found = paint.cells.find({query, key});
    return found != paint.cells.end() ? found->second : rules_hide(query, key);
  }
};

// The paint is what the experiment has from here on, unless it would be too many edits.
void set_paint(Updating& updating, const Action& action, const Paint& paint, bool continues = false) {
  auto edits = with_paint(updating.experiment().edits, paint);
  if (edits.size() > most_edits)
    return updating.note(
        fmt::format("So many separate cells cannot be painted: they would be {} edits, and {} is the most",
                    edits.size(), most_edits));
  if (edits == updating.experiment().edits) return;
  updating.edit(action, "paint", continues);
  updating.edit_experiment().edits = std::move(edits);
}

}  // namespace

void Updating::operator()(const PaintMask& a) {
  if (!why_not_paint(model).empty()) return;
  Painter painter(model);
  const Index last_query = std::min(a.last_query, painter.first + painter.queries - 1),
              last_key = std::min(a.last_key, painter.keys - 1);
  for (Index i = std::max(a.first_query, painter.first); i <= last_query; ++i)
    for (Index j = std::max<Index>(a.first_key, 0); j <= last_key; ++j) painter.set(i, j, a.hide);
  set_paint(*this, a, painter.paint, a.continues);
}

void Updating::operator()(const InvertMask& a) {
  if (!why_not_paint(model).empty()) return;
  Painter painter(model);
  const Painter before = painter;
  for (Index i = painter.first; i < painter.first + painter.queries; ++i)
    for (Index j = 0; j < painter.keys; ++j) painter.set(i, j, !before.hidden(i, j));
  set_paint(*this, a, painter.paint);
}

void Updating::operator()(const ShowThemselves& a) {
  if (!why_not_paint(model).empty()) return;
  Painter painter(model);
  const MaskReading mask = mask_of(model);
  for (const Index row : mask.empty) painter.set(painter.first + row, own_key(mask, row), false);
  set_paint(*this, a, painter.paint);
}

void Updating::operator()(const ClearPaint& a) {
  if (std::ranges::none_of(experiment().edits, is_paint)) return;
  edit(a, "paint");
  std::erase_if(edit_experiment().edits, is_paint);
}

namespace {

// The value of a parameter whose rule is off: its default, or its last choice where the default switches the rule on.
ParamValue switched_off(const ParamSpec& spec, const ParamValue& on) {
  return spec.fallback == on && !spec.choices.empty() ? ParamValue(spec.choices.back().id) : spec.fallback;
}

void switch_paint(Experiment& experiment, bool on) {
  for (Edit& one : experiment.edits)
    if (is_paint(one)) one.on = on;
}

void switch_params(Experiment& experiment, const MaskOption& option, const Problem& problem, LayerOff& known, bool on) {
  const auto& specs = find_variant(experiment.variant)->params();
  const auto usual = option.sample_values(problem);
  for (const auto& [id, value] : usual) {
    const ParamSpec& spec = *find_param(specs, id);
    if (!on) known.params[id] = experiment.params.get(id);
    const auto before = known.params.find(id);
    const ParamValue& last = before == known.params.end() ? value : before->second;
    experiment.params.set(id, on ? last : switched_off(spec, value));
  }
  for (const ParamSpec& spec : option.params()) {  // those that refine it
    if (std::ranges::count(usual, spec.id, &std::pair<std::string, ParamValue>::first) > 0) continue;
    if (!on) known.params[spec.id] = experiment.params.get(spec.id);
    if (!on || known.params.contains(spec.id))
      experiment.params.set(spec.id, on ? known.params[spec.id] : spec.fallback);
  }
}

void switch_arrays(Experiment& experiment, const MaskOption& option, const Problem& problem, LayerOff& known, bool on) {
  for (const ArraySpec& spec : arrays_of(option, experiment)) {
    const auto found = experiment.inputs.find(spec.id);
    if (on || found == experiment.inputs.end()) continue;
    known.arrays[spec.id] = found->second;
    experiment.inputs.erase(found);
  }
  if (!on) return;
  for (const auto& [id, numbers] : option.sample_arrays(problem)) {
    const auto before = known.arrays.find(id);
    const auto* old = before == known.arrays.end() ? nullptr : std::get_if<LiteralInput>(&before->second);
    experiment.inputs[id] = old && old->shape == numbers.shape() ? *old : literal_input(numbers);
  }
}

}  // namespace

void Updating::operator()(const SwitchLayer& a) {
  if (a.rule == painted_layer) {
    const auto is_other = [&](const Edit& one) { return is_paint(one) && one.on != a.on; };
    if (std::ranges::none_of(experiment().edits, is_other)) return;
    edit(a, "paint");
    return switch_paint(edit_experiment(), a.on);
  }
  const MaskOption* option = mask_rule(model, a.rule);
  if (!option || !why_not_switched(model, *option).empty() || is_switched_on(model, *option) == a.on) return;
  edit(a, "layer");
  LayerOff& known = model.layers_off[a.rule];
  if (!a.on) known = {};
  switch_params(edit_experiment(), *option, *problem_of(model), known, a.on);
  switch_arrays(edit_experiment(), *option, *problem_of(model), known, a.on);
}

// The first array of the rule becomes these numbers.
void Updating::set_mask_array(const Action& action, const std::string& rule, Tensor numbers, const std::string& key) {
  const MaskOption* option = mask_rule(model, rule);
  if (!option || !why_not_switched(model, *option).empty()) return;
  InputSpec spec = literal_input(numbers);
  const std::string id = option->sample_arrays(*problem_of(model)).front().first;
  const auto found = experiment().inputs.find(id);
  if (found != experiment().inputs.end() && found->second == spec) return;
  edit(action, key);
  edit_experiment().inputs[id] = std::move(spec);
}

void Updating::operator()(const PadKeys& a) {
  const MaskOption* option = mask_rule(model, "padding");
  if (!option || !problem_of(model)) return;
  Tensor flags = option->sample_arrays(*problem_of(model)).front().second;
  const Index keys = flags.dim(1), count = std::clamp<Index>(a.count, 0, keys);
  for (Index cell = 0; cell < flags.size(); ++cell) {
    const Index j = cell % keys;
    const bool pads = a.left ? j < count : j >= keys - count;
    flags[cell] = pads ? 1.0F : 0.0F;
  }
  set_mask_array(a, "padding", std::move(flags), "pads");
}

void Updating::operator()(const SetValidLength& a) {
  const MaskOption* option = mask_rule(model, "lengths");
  if (!option || !problem_of(model)) return;
  Tensor lens = option->sample_arrays(*problem_of(model)).front().second;
  const Index length = std::clamp<Index>(a.value, 0, problem_of(model)->extent(AxisRole::key));
  for (Index b = 0; b < lens.size(); ++b) lens[b] = static_cast<float>(length);
  set_mask_array(a, "lengths", std::move(lens), "valid-length");
}

void Updating::operator()(const StartDocument& a) {
  const MaskOption* option = mask_rule(model, "documents");
  if (!option || !problem_of(model)) return;
  const auto starts = document_starts(model);
  Tensor documents = option->sample_arrays(*problem_of(model)).front().second;
  if (a.at < 1 || a.at >= documents.size()) return;
  float number = 0;
  for (Index i = 0; i < documents.size(); ++i) {
    const bool begins = i == a.at ? a.on : std::ranges::count(starts, i) > 0;
    if (i > 0 && begins) ++number;
    documents[i] = number;
  }
  set_mask_array(a, "documents", std::move(documents), "documents");
}

void Updating::operator()(const CopyMask& a) {
  if (!model.trace() || !model.trace()->map() || mask_rules(model).empty()) return;
  if (model.trace()->map()->tensor().dim(2) * model.trace()->map()->tensor().dim(3) > most_cells_of_mask) return;
  if (const auto code = mask_code(*model.trace(), mask_of(model), static_cast<TorchMask>(a.value))) {
    effects.clipboard = code->lines + "\n" + code->call + "\n";
    note("The lines of PyTorch are on the clipboard.");
  }
}

}  // namespace headlight::app
