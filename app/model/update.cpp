#include "app/model/update.h"

#include <algorithm>

#include "app/model/cell_trace.h"
#include "app/model/exports.h"
#include "app/model/inputs.h"
#include "engine/run/inputs.h"
#include "engine/run/only_query.h"
#include "engine/variants/variant.h"

namespace headlight::app {

const Step* Model::step() const {
  if (!trace()) return nullptr;
  if (const Step* found = trace()->find(document.look.step)) return found;
  return trace()->steps.empty() ? nullptr : &trace()->steps.back();
}

int Model::stage() const {
  const Step* shown_step = step();
  if (!shown_step) return -1;
  const Stage* stage = trace()->stage_of(shown_step->info.id);
  return stage ? static_cast<int>(stage - trace()->stages.data()) : -1;
}

std::string Model::primary_input() const {
  const Variant* variant = find_variant(document.experiment.variant);
  return variant ? variant->arrays(document.experiment.params, {}).inputs.front().id : "";
}

const InputSpec* Model::input(const std::string& id) const {
  const auto found = document.experiment.inputs.find(id);
  if (found == document.experiment.inputs.end()) return nullptr;
  const bool from_file = !document.experiment.arrays.empty() && shown.problem &&
                         shown.problem->variant->info().id == document.experiment.variant &&
                         !is_made(*shown.problem, id, found->second);
  return from_file ? nullptr : &found->second;
}

ParamValues Model::params() const {
  ParamValues values = document.experiment.params;
  if (!shown.problem || shown.problem->variant->info().id != document.experiment.variant) return values;
  for (const auto& [id, value] : shown.problem->params)
    if (!document.experiment.given.contains(id)) values.set(id, value);
  return values;
}

const std::string* Model::text_of(const std::string& input) const {
  const auto found = document.experiment.inputs.find(input);
  if (found == document.experiment.inputs.end()) return nullptr;
  const auto* text = std::get_if<TextInput>(&found->second);
  return text ? &text->text : nullptr;
}

namespace {

// What a script of the run and its arrays are called.
std::string script_name(const Model& model) {
  return model.path.empty() ? "attention" : model.path.stem().string();
}

constexpr std::size_t longest_history = 500;

// Remembers the document before a change, unless the change goes on with the newest entry.
void remember(Model& model, std::string name, const std::string& merge_key, bool going_on) {
  History& history = model.history;
  const bool joins = history.open && !history.undo.empty() && history.undo.back().merge_key == merge_key;
  if (!joins) history.undo.push_back({std::move(name), merge_key, model.document});
  if (history.undo.size() > longest_history) history.undo.erase(history.undo.begin());
  history.redo.clear();
  history.open = going_on;
}

TextInput* text_input(Model& model, const std::string& id) {
  const auto found = model.document.experiment.inputs.find(id);
  return found == model.document.experiment.inputs.end() ? nullptr : std::get_if<TextInput>(&found->second);
}

Index extent(const Model& model, const char* symbol) {
  if (!model.shown.problem) return 1;
  const auto found = model.shown.problem->symbols.find(symbol);
  return found == model.shown.problem->symbols.end() ? 1 : found->second;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The words of a text from the last to the first: another text in which each of them can be found.
std::string in_other_order(const std::string& text) {
  std::string reversed;
  std::size_t end = text.size();
  while (end > 0) {
    const std::size_t space = text.find_last_of(" \t\r\n", end - 1);
    const std::size_t begin = space == std::string::npos ? 0 : space + 1;
    if (begin < end) reversed += (reversed.empty() ? "" : " ") + text.substr(begin, end - begin);
    end = space == std::string::npos ? 0 : space;
  }
  return reversed;
}

using InputMap = std::map<std::string, InputSpec>;

// One overload an action; each is short enough to read at a glance.
struct Update {
  Model& model;
  Effects effects;

  Experiment& experiment() { return model.document.experiment; }
  Look& look() { return model.document.look; }
  void edit(std::string name, const std::string& key, bool going_on = false) {
    remember(model, std::move(name), key, going_on);
    effects.rerun = true;
  }
  // The query whose row alone is computed, if so.
  std::optional<Index> only_query() {
    const Variant* variant = find_variant(experiment().variant);
    return variant ? asked_query(*variant, experiment().params) : std::nullopt;
  }
  // One query of another input means nothing.
  void ask_all_queries() {
    if (only_query()) experiment().params.set("only_query", std::monostate{});
  }
  // Changes of view of one kind that follow each other are one entry.
  void view(std::string name) {
    const std::string key = "view." + name;
    model.history.open = !model.history.undo.empty() && model.history.undo.back().merge_key == key;
    remember(model, std::move(name), key, true);
  }

  void operator()(const SetText& a) {
    TextInput* text = text_input(model, a.input);
    if (text && text->text == a.text) return;
    edit("text", "text." + a.input, a.going_on);
    leave_file(a.input);
    if (text) {
      text->text = a.text;
      return;
    }
    TextInput fresh;
    fresh.text = a.text;
    put_input(a.input, std::move(fresh));
  }
  // The inputs that the run took from the file of arrays.
  std::vector<std::string> of_file() {
    return model.shown.problem && model.shown.problem->variant->info().id == experiment().variant
               ? inputs_of_file(*model.shown.problem, experiment())
               : std::vector<std::string>{};
  }
  // Those of the experiment, and those of its file of arrays by name, so that the file can be left.
  InputMap inputs_by_name() {
    InputMap inputs = experiment().inputs;
    for (const std::string& id : of_file()) inputs[id] = FileInput{experiment().arrays, id};
    return inputs;
  }
  // An input that is chosen counts: a file of arrays that holds one of its name would win over it.
  void leave_file(const std::string& id) {
    if (std::ranges::count(of_file(), id) == 0) return;
    note(fmt::format("{} holds {} itself, so nothing is taken from it any more. Ctrl Z takes it back.",
                     std::filesystem::path(experiment().arrays).filename().string(), id));
    experiment().arrays.clear();
  }
  // Another input: where the mechanism cannot take it, one that can comes with it.
  void put_input(const std::string& id, InputSpec spec) {
    const Variant* variant = find_variant(experiment().variant);
    const bool first = id == model.primary_input();
    if (first) experiment().arrange.reset();
    leave_file(id);
    if (variant && first && !takes(*variant, experiment().params, experiment().given, spec)) {
      const Variant& other = taker_of(*variant, experiment().params, experiment().given, spec);
      const std::string kind = kind_in_words(spec);
      note(fmt::format("{} takes no {}, so the mechanism is now {}. Ctrl Z takes it back.", variant->info().title,
                       kind.substr(kind.find(' ') + 1), other.info().title));
      change_variant(other, {});
      experiment().inputs[model.primary_input()] = std::move(spec);
      return;
    }
    // Masks and positions of a sentence mean nothing to another kind of input.
    const InputSpec* before = model.input(id);
    if (variant && first && before && kind_of(*before) != kind_of(spec)) change_variant(*variant, experiment().inputs);
    experiment().inputs[id] = std::move(spec);
    if (first && kind_of(experiment().inputs[id]) != InputKind::text) experiment().inputs.erase("x_k");
  }
  // What was said of the last input or mechanism.
  void forget_notes() {
    std::erase_if(model.notices, [](const Notice& notice) { return notice.level == Notice::Level::note; });
  }
  void note(std::string text) {
    forget_notes();
    model.notices.push_back({Notice::Level::note, std::move(text)});
  }
  // Parameters at their defaults; inputs stay where they are known.
  void change_variant(const Variant& variant, const InputMap& inputs) {
    Experiment fresh = default_experiment(variant.info().id);
    fresh.inputs = inputs;
    fresh.weights = experiment().weights;
    fresh.arrange = experiment().arrange;
    fresh.folder = experiment().folder;
    experiment() = std::move(fresh);
    look().selection = {};
    look().pinned = false;
    look().frame = -1;
  }
  void operator()(const SetInput& a) {
    edit("input", "input." + a.input);
    forget_notes();
    ask_all_queries();
    put_input(a.input, a.spec);
    look().selection = {};
    look().pinned = false;
  }
  void operator()(const UseExample& a) {
    const InputSpec* now = model.input(model.primary_input());
    if (now && kind_of(*now) == a.kind) return;
    (*this)(SetInput{model.primary_input(), example_input(a.kind, model.examples)});
  }
  void operator()(const SetGrid& a) {
    const auto found = experiment().inputs.find(a.input);
    if (found == experiment().inputs.end() || a.size.rows < 1 || a.size.columns < 1) return;
    auto* image = std::get_if<ImageInput>(&found->second);
    auto* frames = std::get_if<FramesInput>(&found->second);
    if (!image && !frames) return;
    edit("grid", "grid." + a.input);
    ask_all_queries();
    (image ? image->size : frames->size) = a.size;
    look().selection = {};
    look().pinned = false;
  }
  void operator()(const SetTokenizer& a) {
    if (!text_input(model, a.input)) return;
    edit("tokenizer", "tokenizer");
    text_input(model, a.input)->tokenizer = a.tokenizer;
  }
  void operator()(const SetStartToken& a) {
    if (!text_input(model, a.input)) return;
    edit("start token", "start_token");
    text_input(model, a.input)->start_token = a.on;
  }
  void operator()(const SetModelWidth& a) {
    edit("embedding width", "d_model");
    for (auto& [id, input] : experiment().inputs)
      if (auto* text = std::get_if<TextInput>(&input)) text->d_model = a.d_model;
  }
  void operator()(const SetParam& a) {
    const Variant* variant = find_variant(experiment().variant);
    if (!variant) return;
    const auto spec = std::ranges::find(variant->params(), a.id, &ParamSpec::id);
    if (spec == variant->params().end()) return;
    auto value = check_param(*spec, a.value);
    if (!value || experiment().params.get(a.id) == *value) return;
    edit(lower(spec->title), "param." + a.id, a.going_on);
    experiment().params.set(a.id, std::move(*value));
    experiment().given.insert(a.id);
  }
  void operator()(const SetVariant& a) {
    if (a.id == experiment().variant || !find_variant(a.id)) return;
    edit("mechanism", "variant");
    forget_notes();
    const Variant& variant = *find_variant(a.id);
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
    if (const auto found = inputs.find(first); found != inputs.end() && !takes(variant, defaults, {}, found->second)) {
      const InputSpec example = example_input(natural_kind(variant), model.examples);
      note(fmt::format("{} needs {}: this one comes with the program. Drop your own on the window.",
                       variant.info().title, kind_in_words(example)));
      inputs = {{first, example}};
    }
    change_variant(variant, inputs);
  }
  void operator()(const SetCross& a) {
    const bool now = experiment().inputs.contains("x_k");
    if (now == a.on) return;
    edit(a.on ? "cross-attention" : "self-attention", "cross");
    if (!a.on) {
      experiment().inputs.erase("x_k");
      return;
    }
    const TextInput* queries = text_input(model, model.primary_input());
    TextInput text = queries ? *queries : TextInput{};
    const Experiment example = example_experiment();
    if (queries && queries->text == std::get<TextInput>(example.inputs.begin()->second)
                                        .text) {  // the pair of assets/examples/cross-attention.headlight
      text_input(model, model.primary_input())->text = "the river was cold";
      text.text = "cold was the water of the river in spring";
      look().head = 1;
      look().selection = {.query = 2, .key = 7};  // river finds river
    } else {
      text.text = in_other_order(text.text);
    }
    experiment().inputs["x_k"] = std::move(text);
    if (experiment().variant == "multi_head") experiment().params.set("mask", std::string("none"));
  }
  void operator()(const SetWeights& a) {
    edit("weights", "weights");
    experiment().weights = WeightsSpec{a.init, a.seed};
    experiment().inputs = inputs_by_name();
    experiment().arrays.clear();
  }
  void operator()(const SetArrays& a) {
    edit("arrays", "arrays");
    experiment().arrays = a.path;
    give_way_to(a.holds);
  }
  // Of the experiment that is open only what the arrays leave open counts: no input of their own, and no size that one
  // of its weights has.
  void give_way_to(const std::vector<std::string>& arrays) {
    const auto is_held = [&](const std::string& id) { return std::ranges::count(arrays, id) > 0; };
    if (is_held(model.primary_input())) {  // another input's positions mean nothing
      look().selection = {};
      look().pinned = false;
      experiment().arrange.reset();
    }
    for (const auto& name : arrays) experiment().inputs.erase(name);
    const Variant& variant = *find_variant(experiment().variant);
    const auto specs = variant.arrays(experiment().params, {arrays.begin(), arrays.end()});
    const auto is_size = [&](const std::string& symbol) {
      return std::ranges::any_of(specs.weights, [&](const ArraySpec& spec) {
        return is_held(spec.id) && std::ranges::count(spec.shapes.front(), symbol) > 0;
      });
    };
    for (const ParamSpec& param : variant.params())
      if (!param.symbol.empty() && is_size(param.symbol)) {
        experiment().given.erase(param.id);
        experiment().params.set(param.id, param.fallback);
      }
  }
  void operator()(const Arrange& a) {
    if (experiment().arrange == a.arrangement) return;
    const bool shuffled = a.arrangement && std::holds_alternative<Shuffle>(*a.arrangement);
    edit(!a.arrangement ? "put back" : shuffled ? "shuffle" : "shift", "arrange");
    experiment().arrange = a.arrangement;
  }
  void operator()(const EndEdit&) { model.history.open = false; }

  void operator()(const ShowStep& a) {
    if (!model.trace() || !model.trace()->find(a.id) || look().step == a.id) return;
    view("step");
    look().step = a.id;
  }
  void operator()(const GoStage& a) {
    if (!model.trace() || model.trace()->stages.empty()) return;
    const auto& stages = model.trace()->stages;
    const auto at = std::clamp<int>(a.index, 0, static_cast<int>(stages.size()) - 1);
    (*this)(ShowStep{stages[static_cast<std::size_t>(at)].steps.front()});
  }
  void operator()(const MoveStage& a) { (*this)(GoStage{std::max(0, model.stage() + a.by)}); }
  void operator()(const SetHead& a) {
    const Index head = std::clamp<Index>(a.head, 0, std::max<Index>(1, extent(model, "M")) - 1);
    if (head == look().head) return;
    view("head");
    look().head = head;
  }
  void operator()(const MoveHead& a) {
    const Index heads = std::max<Index>(1, extent(model, "M"));
    (*this)(SetHead{(look().head + a.by % heads + heads) % heads});
  }
  void operator()(const SetBatch& a) {
    const Index batch = std::clamp<Index>(a.batch, 0, std::max<Index>(1, extent(model, "B")) - 1);
    if (batch == look().batch) return;
    view("batch");
    look().batch = batch;
  }
  void operator()(const SetFrame& a) {
    const Index frames = model.step() ? frames_of(*model.step()) : 1;
    const Index frame = std::clamp<Index>(a.frame, 0, frames - 1);
    if (frame == look().frame) return;
    view("frame");
    look().frame = frame;
  }
  void operator()(const SetMode& a) {
    if (a.mode == look().mode) return;
    view("view");
    look().mode = a.mode;
  }
  void operator()(const SetScaling& a) {
    if (a.scaling == look().scaling) return;
    view("scale of colours");
    look().scaling = a.scaling;
  }
  void operator()(const SetThreshold& a) {
    const double value = std::clamp(a.value, 0.0, 1.0);
    if (value == look().threshold) return;
    view("threshold");
    look().threshold = value;
  }
  void operator()(const Select& a) {
    if (look().selection == a.selection && look().pinned == a.pin) return;
    view("selection");
    const bool key_moved = look().selection.key != a.selection.key;
    if (only_query() && a.selection.query && *only_query() != *a.selection.query) {
      experiment().params.set("only_query", *a.selection.query);
      effects.rerun = true;
    }
    look().selection = a.selection;
    look().pinned = a.pin;
    // The frame that is shown goes along with the key.
    const Step* weights = model.trace() ? model.trace()->find("weights") : nullptr;
    const Axis* keys = weights ? weights->axis("n_k") : nullptr;
    if (key_moved && a.selection.key && keys && keys->grid && keys->grid->frames > 1)
      look().frame = std::min(*a.selection.key / (keys->grid->rows * keys->grid->columns), keys->grid->frames - 1);
  }
  void operator()(const MoveSelection& a) {
    const Step* step = model.step();
    if (!step) return;
    const Slice slice = slice_of(*step, focus_of(look()));
    const Selection& now = look().selection;
    const auto moved = [](std::optional<Index> at, int by, Index count) {
      return std::clamp<Index>(at.value_or(0) + by, 0, count - 1);
    };
    const Index row = moved(selected_row(slice, now), a.rows, slice.matrix.rows),
                column = moved(selected_column(slice, now), a.columns, slice.matrix.columns);
    (*this)(Select{selection_at(slice, row, column, now), true});
  }
  void operator()(const Release&) {
    model.sides.drawer = false;
    if (!look().pinned) return;
    view("selection");
    look().pinned = false;
  }
  void operator()(const SetHover& a) { model.hover = a.hover; }
  void operator()(const Light& a) { model.lit = a.id; }
  void operator()(const Play& a) {
    const bool at_end = model.trace() && model.stage() + 1 == static_cast<int>(model.trace()->stages.size());
    if (a.on && at_end) (*this)(GoStage{0});
    model.playing = a.on && model.trace();
    model.play_since = model.now;
  }

  void operator()(const SetTheme& a) { model.settings.theme = a.theme; }
  void operator()(const SetScale& a) { model.settings.scale = std::clamp(a.scale, 0.75F, 3.0F); }
  void operator()(const SetExpert& a) { model.settings.expert = a.on; }
  void operator()(const SetReduceMotion& a) { model.settings.reduce_motion = a.on; }
  void operator()(const Fold& a) { model.sides[a.side] = !a.away; }
  void operator()(const ShowDialog& a) {
    if (a.dialog == Dialog::none && model.dialog != Dialog::none) return (*this)(Decide{Decision::cancel});
    model.dialog = a.dialog;
  }
  void operator()(const Dismiss& a) {
    if (a.notice < model.notices.size())
      model.notices.erase(model.notices.begin() + static_cast<std::ptrdiff_t>(a.notice));
  }
  void operator()(const Undo&) { effects.rerun = step_back(model.history.undo, model.history.redo); }
  void operator()(const Redo&) { effects.rerun = step_back(model.history.redo, model.history.undo); }
  bool step_back(std::vector<HistoryEntry>& from, std::vector<HistoryEntry>& to) {
    const std::string before = to_json(experiment(), {});
    const auto folder = experiment().folder;
    go(model, from, to);
    return to_json(experiment(), {}) != before || experiment().folder != folder;
  }

  // Unsaved work is asked about before it goes; true: it may.
  bool may_leave(Departure::For what) {
    if (!model.changed()) return true;
    model.leaving = {what, {}};
    model.dialog = Dialog::leave;
    return false;
  }
  void operator()(const New&) { effects.fresh = may_leave(Departure::For::fresh); }
  void operator()(const Open& a) { effects.open = a.path; }
  void operator()(const Save& a) {
    effects.save = a.path.empty() ? model.path : a.path;
    if (effects.save->empty()) {
      effects.save.reset();
      model.dialog = Dialog::save;
    }
  }
  void operator()(const Decide& a) {
    const Dialog asked = std::exchange(model.dialog, Dialog::none);
    if (a.decision == Decision::cancel) {
      model.leaving = {};
      model.replacing = {};
      model.arrays_opened = nullptr;
    } else if (a.decision == Decision::save && asked == Dialog::leave) {
      (*this)(Save{});  // and then what waits
    } else if (a.decision == Decision::discard && asked == Dialog::leave) {
      effects.leave = std::exchange(model.leaving, {});
    } else if (a.decision == Decision::replace && asked == Dialog::replace) {
      effects.replace = std::exchange(model.replacing, {});
    } else if (a.decision == Decision::other_name && asked == Dialog::replace) {
      const auto what = std::exchange(model.replacing, {}).what;
      if (what == Replacing::What::experiment) model.dialog = Dialog::save;
    } else {
      model.dialog = asked;
    }
  }
  void operator()(const Recover& a) { effects.recover = a.index; }
  void operator()(const DiscardRecovered& a) { effects.discard_recovered = a.index; }
  void operator()(const Browse& a) { effects.browse = a.folder; }
  void operator()(const Peek& a) { effects.peek = a.path; }
  void operator()(const ShowScreen& a) {
    if (a.screen == model.screen || (a.screen != Screen::explore && !model.trace())) return;
    if (a.screen == Screen::figure && model.screen == Screen::explore) {
      model.companions.clear();  // their files may be others by now
      aim_figure();
    }
    model.screen = a.screen;
    model.playing = false;
  }
  // The figure is of what is looked at.
  void aim_figure() {
    FigureRequest& figure = model.document.figure;
    figure.steps = {model.step()->info.id};
    figure.batch = look().batch > 0 ? std::optional(look().batch) : std::nullopt;
    figure.query = look().selection.query;
    figure.key.reset();
    const bool on_grid = slice_of(*model.step(), {}).is_picture();
    figure.kind = on_grid && look().mode == ViewMode::matrix ? FigureKind::matrix : FigureKind::automatic;
    const Index heads = heads_of(*model.step());
    if (std::ranges::any_of(figure.heads, [&](Index head) { return head >= heads; })) figure.heads.clear();
  }
  void operator()(const SetFigure& a) {
    FigureRequest next = model.document.figure;
    if (const Status set = set_figure(next, a.key, a.text); !set) {
      note(set.error().message);
      return;
    }
    if (next == model.document.figure) return;
    const std::string key = "figure." + a.key;
    remember(model, "figure", key, a.going_on);
    model.document.figure = std::move(next);
  }
  void operator()(const SetFigurePath& a) {
    model.figure_files.path = a.path;
    if (const auto format = figure_format_of(a.path)) model.figure_files.format = *format;
  }
  void operator()(const SetFigureFormat& a) {
    model.figure_files.format = a.format;
    model.figure_files.path = std::filesystem::path(figure_path(model)).replace_extension(extension_of(a.format));
  }
  void operator()(const SetFigureEach& a) {
    FigureFiles& files = model.figure_files;
    if (!files.path.empty()) files.path = path_for_each(files, a.each, model.document.figure);
    files.each = a.each;
  }
  void operator()(const SetFigureExtra& a) {
    FigureExtras& extras = model.figure_files.extras;
    (a.extra == "csv" ? extras.csv : a.extra == "npy" ? extras.npy : extras.words) = a.on;
  }
  void operator()(const SaveFigure& a) {
    if (model.trace() && !model.exporting.busy)
      effects.figure = a.path.empty() ? std::filesystem::path(figure_path(model)) : a.path;
  }
  void operator()(const SetSheet& a) {
    if (const Status set = set_sheet(model.sheet, a.key, a.text); !set) note(set.error().message);
  }
  void operator()(const SaveSheet& a) {
    if (model.trace() && !model.exporting.busy)
      effects.sheet = a.path.empty() ? std::filesystem::path(sheet_path(model)) : a.path;
  }
  void operator()(const CancelExport&) { effects.cancel_export = true; }
  void operator()(const CopyCommand&) {
    effects.clipboard = model.screen == Screen::worksheet ? sheet_command(model) : command_of(model);
  }
  void operator()(const CopyTrace&) {
    const Step* step = model.step();
    if (!step) return;
    const Slice slice = slice_of(*step, focus_of(look()));
    const auto row = slice.rows ? selected_row(slice, look().selection) : std::optional<Index>(0);
    const auto column = selected_column(slice, look().selection);
    if (row && column)
      effects.clipboard = to_text(trace_cell(*model.trace(), *step, slice.cell_at(*row, *column)), *model.trace());
  }
  void operator()(const CopyCode& a) {
    if (!model.trace() || !model.shown.problem) return;
    const std::string name = script_name(model);
    const ScriptFiles files{.experiment = model.path.empty() ? "EXPERIMENT" : model.path.filename().string(),
                            .script = name + ".py",
                            .arrays = name + ".npz"};
    effects.clipboard = script(*model.trace(), *model.shown.problem, a.language, files);
    note(fmt::format("The script is on the clipboard. It reads {}: Save arrays makes that.", files.arrays));
  }
  void operator()(const SaveArrays&) {
    if (model.trace()) effects.arrays = model.path.parent_path() / (script_name(model) + ".npz");
  }
  void operator()(const Cancel&) { effects.cancel = true; }
  void operator()(const RunBeside& a) {
    if (model.trace()) effects.beside = a.param;
  }
  void operator()(const Run&) { effects.rerun = true; }
  void operator()(const RunWhole&) {
    if (!model.too_large) return;
    model.most_pairs = std::max(model.most_pairs, model.too_large->pairs);
    effects.rerun = true;
  }
  void operator()(const Quit&) { effects.quit = may_leave(Departure::For::quit); }
};

// Keeps what is looked at inside what there is.
void clamp_look(Model& model) {
  Look& look = model.document.look;
  const auto inside = [&](const char* symbol, std::optional<Index>& at) {
    if (!at || *at < extent(model, symbol)) return;
    at.reset();
    look.pinned = false;  // there is no such cell any more
  };
  look.head = std::min(look.head, std::max<Index>(1, extent(model, "M")) - 1);
  look.batch = std::min(look.batch, std::max<Index>(1, extent(model, "B")) - 1);
  if (model.shown.problem && model.shown.problem->only_query)
    look.selection.query = model.shown.problem->only_query;
  else
    inside("n_q", look.selection.query);
  inside("n_k", look.selection.key);
  // On a picture somebody must ask: its middle, until another is chosen.
  const Step* weights = model.trace() ? model.trace()->find("weights") : nullptr;
  const Slice slice = weights ? slice_of(*weights, {}) : Slice{};
  if (!slice.is_picture()) return;
  const Axis* queries = weights->axis("n_q");
  if (!look.selection.query && queries) look.selection.query = middle_query(*weights).value_or(queries->size / 2);
  // The frame of the selected key, else of the query, until another is chosen.
  const Index keys = slice.grid.rows * slice.grid.columns;
  if (look.frame < 0 && look.selection.key)
    look.frame = *look.selection.key / keys;
  else if (look.frame < 0 && queries && queries->grid)
    look.frame = *look.selection.query / (queries->grid->rows * queries->grid->columns);
  look.frame = std::clamp<Index>(look.frame, 0, slice.grid.frames - 1);
}

// What is shown against the run before, or the run before for what comes.
void compare(Model& model) {
  model.equivariance.reset();
  const Outcome& shown = model.shown;
  const Step* output = shown.trace && shown.experiment ? shown.trace->find("output") : nullptr;
  if (!output) return;
  const std::string question = question_of(*shown.experiment);
  if (!shown.experiment->arrange) {
    model.unarranged = {question, output->values, {}};
    return;
  }
  const auto axes = position_axes(*shown.problem, output->tensor().shape());
  const auto& before = model.unarranged.output;
  if (model.unarranged.question == question && before && axes && before->shape() == output->tensor().shape())
    model.equivariance = equivariance_of(*before, output->tensor(), *axes, *shown.experiment->arrange);
}

}  // namespace

Effects update(Model& model, const Action& action) {
  Update updater{model, {}};
  std::visit(updater, action);
  return std::move(updater.effects);
}

void receive(Model& model, Outcome outcome) {
  if (outcome.ticket < model.asked) return;  // a newer one is on its way
  model.too_large = outcome.too_large;
  const bool at_rest = !model.view_changed();
  if (outcome.trace) {
    model.error.clear();
    model.shown = std::move(outcome);
    clamp_look(model);
    compare(model);
  } else {
    model.error = outcome.error;
    clamp_look(model);
  }
  if (at_rest) model.rest_view = view_of(model.document.look);  // nobody chose what there is not, or what must be
}

std::optional<Experiment> run_to_compare_with(const Model& model) {
  const auto& shown = model.shown.experiment;
  if (!model.trace() || !shown || !shown->arrange || model.shown.problem->only_query ||
      model.unarranged.question == question_of(*shown))
    return std::nullopt;
  Experiment plain = *shown;
  plain.arrange.reset();
  return plain;
}

void receive_to_compare(Model& model, const Outcome& outcome) {
  const Step* output = outcome.trace ? outcome.trace->find("output") : nullptr;
  model.unarranged = {question_of(*outcome.experiment), output ? output->values : nullptr, outcome.error};
  compare(model);
}

void tick(Model& model, double now) {
  model.now = now;
  if (!model.playing || !model.trace() || now - model.play_since < play_rest) return;
  const int last = static_cast<int>(model.trace()->stages.size()) - 1;
  if (model.stage() >= last) {
    model.playing = false;
    return;
  }
  update(model, MoveStage{1});
  model.play_since = now;
}

void look_at_figure(Model& model) {
  const FigureRequest& figure = model.document.figure;
  Look& look = model.document.look;
  if (!figure.steps.empty()) look.step = figure.steps.front();
  if (!figure.heads.empty()) look.head = figure.heads.front();
  look.batch = figure.batch.value_or(0);
  look.selection = {figure.query, figure.key, std::nullopt, {}, {}};
  look.pinned = figure.query && figure.key;
  look.mode = figure.kind == FigureKind::matrix ? ViewMode::matrix : ViewMode::map;
}

bool command_is_true(const Model& model) {
  for (const auto& path : companions_of(model.document.figure))
    if (model.companions_from_a_recipe.contains(path)) return false;
  const FigureRequest request = files_request(model);
  const bool figure = model.screen != Screen::worksheet;  // a worksheet's command leaves nothing open
  if (figure && filled_in(request, model.file_view, model.figure_files.each) != request) return false;
  if (!model.path.empty()) return !model.changed();
  return to_json(model.document.experiment, {}) == to_json(example_experiment(), {});
}

std::string figure_path(const Model& model) {
  if (!model.figure_files.path.empty()) return model.figure_files.path;
  const auto& each = model.figure_files.each;
  const std::string step = std::ranges::find(each, "step") != each.end() ? "{step}"
                           : model.document.figure.steps.empty()         ? "figure"
                                                                         : model.document.figure.steps.front();
  return with_places((model.path.parent_path() / (step + extension_of(model.figure_files.format))).string(), each);
}

std::string command_of(const Model& model) {
  const FigureExtras& extras = model.figure_files.extras;
  std::string command = figure_command(files_request(model), model.path.string(), figure_path(model));
  for (const auto& each : model.figure_files.each) command += " --each " + each;
  if (extras.csv) command += " --csv";
  if (extras.npy) command += " --npy";
  if (extras.words) command += " --words";
  return command;
}

std::string undo_name(const History& history) {
  return history.undo.empty() ? "" : history.undo.back().name;
}
std::string redo_name(const History& history) {
  return history.redo.empty() ? "" : history.redo.back().name;
}

}  // namespace headlight::app
