// What is computed with: mechanism, parameters, weights, arrays; and whether it is.
#include <algorithm>

#include "app/actions/updating.h"
#include "app/model/mechanism_report.h"
#include "app/reading/choices_offered.h"
#include "app/reading/inputs.h"
#include "app/reading/key_place.h"
#include "engine/core/system/paths.h"
#include "engine/params/plain.h"
#include "engine/run/only_query.h"
#include "engine/run/step_input.h"
#include "engine/run/trained.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

bool is_picture(const InputSpec& input) {
  const InputKind kind = kind_of(input);
  return kind == InputKind::image || kind == InputKind::frames;
}

// Where the key that is selected lies on the queries' grid; of several pixels the first.
std::optional<KeptPlace> place_of_key(const Model& model) {
  const Look& look = model.document.look;
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const Axis* queries = map ? map->axis(AxisRole::query) : nullptr;
  if (!queries || !queries->grid || !map->axis(AxisRole::key) || !look.selection.query || !look.selection.key)
    return std::nullopt;
  const KeyPlace at = key_place(*model.trace(), *map, *look.selection.key, look.selection.query, look.batch);
  if (at.outside) return std::nullopt;
  const Grid& grid = *queries->grid;
  return KeptPlace{(at.frame * grid.rows + at.row) * grid.columns + at.column, look.pinned};
}

}  // namespace

// The query whose row alone is computed, if so.
std::optional<Index> Updating::only_query() {
  const Variant* variant = find_variant(experiment().variant);
  return variant ? asked_query(*variant, experiment().params) : std::nullopt;
}

// One query of another input means nothing.
void Updating::ask_all_queries() {
  if (only_query()) edit_experiment().params.infer("only_query", std::monostate{});
}

// Parameters at their defaults; inputs stay where they are known.
void Updating::change_variant(const Variant& variant, const InputMap& inputs) {
  Experiment fresh = default_experiment(variant.info().id);
  fresh.inputs = inputs;
  fresh.weights = experiment().weights;
  if (fresh.weights && fresh.weights->init == "trained") fresh.weights = WeightsSpec{"xavier_normal"};  // of another
  fresh.arrange = experiment().arrange;
  fresh.folder = experiment().folder;
  fresh.files = experiment().files;
  edit_experiment() = std::move(fresh);
  const Step* opening = model.trace() ? model.trace()->default_step() : nullptr;
  if (opening && look().step == opening->info.id) look().step.clear();  // what the next one opens on, whatever its id
  select_nothing();
  look().frame = -1;
}

void Updating::operator()(const SetParam& a) {
  const Variant* variant = find_variant(experiment().variant);
  const ParamSpec* spec = variant ? find_param(variant->params(), a.id) : nullptr;
  if (!spec) return;
  auto value = check_param(*spec, a.value);
  if (!value || experiment().params.get(a.id) == *value) return;
  edit(a, "param." + a.id, a.continues);
  hold_if_comparing();
  edit_experiment().params.set(a.id, std::move(*value));
}

// False where they are as they were. Those that change count as given by hand.
bool Updating::set_params(const Action& action, const std::string& key, const ParamValues& values) {
  if (values == experiment().params) return false;
  edit(action, key);
  hold_if_comparing();
  for (const auto& [id, value] : values)
    if (experiment().params.get(id) != value) edit_experiment().params.set(id, value);
  return true;
}

void Updating::operator()(const UsePreset& a) {
  const Variant* variant = find_variant(experiment().variant);
  if (!variant) return;
  const auto all = variant->presets();
  const auto preset = std::ranges::find(all, a.value, &Preset::id);
  if (preset == all.end()) return;
  if (set_params(a, "preset", with_preset(variant->params(), all, *preset, experiment().params)))
    note(fmt::format("{} ({}): {}.", preset->title, preset->source, preset_titles(variant->params(), *preset)));
}

void Updating::operator()(const ChooseNone& a) {
  const Variant* variant = find_variant(experiment().variant);
  if (variant) set_params(a, "none", without_choices(variant->params(), a.value, experiment().params));
}

void Updating::operator()(const BackToPlain& a) {
  const Variant* variant = find_variant(experiment().variant);
  if (!variant || non_plain_choices(model).empty()) return;
  edit(a, "plain");
  edit_experiment().params = with_plain_choices(variant->params(), experiment().params, false);
}

void Updating::operator()(const SetVariant& a) {
  if (a.value == experiment().variant || !find_variant(a.value)) return;
  edit(a, "variant");
  forget_notes();
  const Variant& variant = *find_variant(a.value);
  const std::string before = model.primary_input();
  const ParamValues defaults = ParamValues::defaults(variant.params());
  const ArraySpecs specs = variant.arrays(defaults, {});
  const std::string& first = specs.inputs.front().id;
  InputMap inputs;
  for (const auto& [id, input] : inputs_by_name())
    if (id == before)
      inputs[first] = input;
    else if (std::ranges::find(specs.inputs, id, &ArraySpec::id) != specs.inputs.end())
      inputs.try_emplace(id, input);
  if (const auto found = inputs.find(first); found != inputs.end() && !takes(variant, defaults, found->second)) {
    const InputSpec example = example_input(natural_kind(variant), model.examples);
    note(fmt::format("{} needs {}: this one comes with the program. Drop your own on the window.", variant.info().title,
                     kind_in_words(example)));
    inputs = {{first, example}};
  }
  const InputSpec* shown = model.input(before);
  const auto found = inputs.find(first);
  const bool stays = shown && found != inputs.end() && *shown == found->second && is_picture(*shown);
  const Selection asked = look().selection;
  const auto place = stays ? place_of_key(model) : std::nullopt;
  change_variant(variant, inputs);
  if (!stays) return;
  look().selection.query = asked.query;
  model.kept_place = place;
}

void Updating::operator()(const SetWeights& a) {
  if (std::ranges::count(weight_inits(), a.init) == 0 || a.seed > INT64_MAX) return;
  const bool trained = a.init == "trained";
  const TrainedSet* set = trained && model.shown.problem ? trained_set_for(*model.shown.problem) : nullptr;
  if (trained && !set) return;
  edit(a, "weights");
  edit_experiment().weights = WeightsSpec{a.init, a.seed, set ? set->id : ""};
  edit_experiment().inputs = inputs_by_name();
  for (const ArraySpec& weight : find_variant(experiment().variant)->arrays(experiment().params, {}).weights)
    edit_experiment().inputs.erase(weight.id);
  edit_experiment().arrays.clear();
}

void Updating::operator()(const SetArrays& a) {
  edit(a, "arrays");
  edit_experiment().arrays = a.path;
  drop_values_in(a.holds);
}

// What it reads is as wide as the layer: the text that is there, or one to begin with.
void Updating::operator()(const SetStateDict& a) {
  if (a.heads < 1 || a.layer < 0 || a.path.empty()) return;
  edit(a, "weights");
  forget_notes();
  const InputSpec* shown = model.input(model.primary_input());
  const TextInput* kept = shown ? std::get_if<TextInput>(shown) : nullptr;
  TextInput text = kept ? *kept : std::get<TextInput>(example_input(InputKind::text, model.examples));
  if (a.width > 0) text.d_model = std::min(a.width, widest_embedding);
  const std::string variant = "multi_head";
  const LayerInputs ids = inputs_of_layers(variant);
  InputMap inputs{{ids.stream, text}};
  if (a.attention == "cross") inputs.try_emplace(ids.memory, text);
  change_variant(*find_variant(variant), inputs);
  WeightsSpec& weights = edit_experiment().weights.emplace();
  weights.from = a.path;
  weights.layout = a.layout;
  weights.prefix = a.prefix;
  weights.stack = a.stack;
  weights.attention = a.attention;
  weights.layer = a.layer;
  weights.names = a.names;
  for (const auto& [id, value] : a.params) edit_experiment().params.set(id, value);
  edit_experiment().params.set("heads", a.heads);
  if (a.keeps_names)
    effects.keep_names = NamesToKeep{path_of_utf8(a.path).parent_path() / names_file, json_of(a.names).dump(2) + "\n"};
}

// Of the experiment that is open only what the arrays leave open counts: no input of their own, and no size that one
// of its weights has.
void Updating::drop_values_in(const std::vector<std::string>& arrays) {
  const auto is_held = [&](const std::string& id) { return std::ranges::count(arrays, id) > 0; };
  if (is_held(model.primary_input())) {  // another input's positions mean nothing
    select_nothing();
    edit_experiment().arrange.reset();
  }
  for (const auto& name : arrays) edit_experiment().inputs.erase(name);
  const Variant& variant = *find_variant(experiment().variant);
  const auto specs = variant.arrays(experiment().params, {arrays.begin(), arrays.end()});
  const auto is_size = [&](const std::string& symbol) {
    return std::ranges::any_of(specs.weights, [&](const ArraySpec& spec) {
      return is_held(spec.id) && std::ranges::count(spec.shapes.front(), symbol) > 0;
    });
  };
  for (const ParamSpec& param : variant.params())
    if (!param.symbol.empty() && is_size(param.symbol)) edit_experiment().params.reset(param);
}

void Updating::operator()(const Run& a) {
  if (a.whole && !model.too_large) return;
  if (a.whole) model.most_pairs = std::max(model.most_pairs, model.too_large->pairs);
  effects.rerun = true;
}

void Updating::operator()(const RunBeside& a) {
  if (model.trace()) effects.beside = a.value;
}

}  // namespace headlight::app
