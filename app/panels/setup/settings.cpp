#include <fmt/ranges.h>

#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/setup/parts.h"
#include "app/reading/inputs.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/run/inputs.h"
#include "engine/run/trained.h"
#include "engine/weights/textbook.h"

namespace headlight::app {

namespace {

// Whether a file of arrays is open, and no weight that is drawn comes from it.
bool file_is_unused(const Model& model) {
  return !model.document.experiment->arrays.empty() && model.problem_as_set() &&
         model.problem_as_set()->given_weights.empty();
}

// What is drawn, not what was asked for: heads made by hand are not listed under the file's name.
std::string weights_summary(const Model& model) {
  const auto& given = model.document.experiment->weights;
  if (given && !given->from.empty()) return "of a model";
  if (!model.document.experiment->arrays.empty() && !file_is_unused(model))
    return utf8(path_of_utf8(model.document.experiment->arrays).filename());
  if (given && given->init == "trained") {
    const auto set = trained_set_of(*model.document.experiment);
    return set ? lower_first((*set)->title) : "";
  }
  if (const Trace* trace = model.trace_as_set(); trace && !trace->heads.empty())
    return trace->heads.size() == 1 ? "1 hand-made head" : fmt::format("{} hand-made heads", trace->heads.size());
  if (model.shows_older() && (!given || given->init == "textbook")) return "";  // whether any can be made is not known
  return fmt::format("seed {}", given ? given->seed : 0);
}

// Which weights a file gave and which were made beside them, and where none could be made by hand.
std::string weights_in_words(const Model& model) {
  if (!model.problem_as_set()) return "";
  const Problem& problem = *model.problem_as_set();
  if (const ModelName& from = problem.model; !from.name.empty())
    return from.layer.empty() ? fmt::format("Those of {}, as its file has them.", from.name)
                              : fmt::format("{} of {}, as its files have it.", capitalized(from.layer), from.name);
  const auto& asked = model.document.experiment->weights;
  if (asked && asked->init == "trained")
    return problem.heads.empty() ? "Learned, but not with what is chosen here." : problem.heads.front().sentence;
  const std::string name = utf8(path_of_utf8(model.document.experiment->arrays).filename());
  if (name.empty() && (!asked || asked->init == "textbook") && problem.heads.empty() && problem.given_weights.empty() &&
      !problem.specs.weights.empty())
    return "Drawn at random (xavier_normal): none can be made by hand here.";
  if (name.empty()) return "";
  if (problem.given_weights.empty()) return fmt::format("No weight is taken from {}: these are made here.", name);
  std::vector<std::string> made;
  for (const ArraySpec& spec : problem.specs.weights)
    if (spec.fill == Fill::init && std::ranges::find(problem.given_weights, spec.id) == problem.given_weights.end())
      made.push_back(spec.id);
  return fmt::format("From the file: {}.{}", fmt::join(problem.given_weights, ", "),
                     made.empty() ? "" : fmt::format(" Made here: {}.", fmt::join(made, ", ")));
}

// What can be chosen, in the list's order: every variant, and cross-attention, which is a way to run multi_head on
// text.
struct Mechanism {
  std::string title, shorthand, variant;
  bool cross = false;
};

std::vector<Mechanism> mechanisms(const Model& model) {
  const InputSpec* input = model.input(model.primary_input());
  std::vector<Mechanism> list;
  for (const Variant* variant : all_variants()) {
    const VariantInfo& info = variant->info();
    list.push_back({info.title, info.shorthand, info.id});
    const bool text = input && std::holds_alternative<TextInput>(*input);
    if (!info.cross_title.empty() && (text || model.has_second_input()))
      list.push_back({info.cross_title, info.cross_shorthand, info.id, true});
  }
  return list;
}

// One line, so that what is below it stays in place whatever is chosen, and parameters stand on the first screen.
void draw_mechanisms(Form& form, const Model& model, Actions& actions) {
  const std::vector<Mechanism> list = mechanisms(model);
  const std::string& current = model.document.experiment->variant;
  const Variant* variant = find_variant(current);
  const bool cross = variant && !variant->info().cross_title.empty() && model.has_second_input();
  std::vector<std::string> titles, shorthands;
  int selected = -1;
  for (const Mechanism& mechanism : list) {
    if (mechanism.variant == current && mechanism.cross == cross) selected = static_cast<int>(titles.size());
    titles.push_back(mechanism.title);
    shorthands.push_back(mechanism.shorthand);
  }
  const Rect heading{form.column.x, form.y, form.column.w, form.ui.px(16)};
  form.heading("Mechanism");
  if (selected >= 0)
    form.ui.text_in(Type::note, heading, form.ui.theme().text_faint, shorthands[static_cast<std::size_t>(selected)],
                    Ui::Align::right);
  const int chosen = drop_down(form.ui, "mechanism", form.line(32), titles, selected, false, shorthands);
  if (chosen < 0) return;
  const Mechanism& next = list[static_cast<std::size_t>(chosen)];
  if (next.variant != current) actions.push_back(SetVariant{next.variant});
  if (next.cross != cross && !find_variant(next.variant)->info().cross_title.empty())
    actions.push_back(SetCross{next.cross});
}

// What the scores of the run are divided by: the root of the width that its mechanism says; empty where they are not.
std::string score_divisor(const Model& model) {
  const Trace* trace = model.trace_as_set();
  if (!trace) return {};
  for (const Step& step : trace->steps) {
    if (step.info.role != Role::score || !step.explain || step.tensor().size() == 0) continue;
    if (const Index width = step.explain(0).root_of; width > 0)
      return fmt::format("√{} = {:.2f}", width, std::sqrt(static_cast<double>(width)));
  }
  return {};
}

// A note at the right of a parameter that says what follows from it.
std::string param_note(const ParamSpec& spec, const Model& model) {
  if (spec.id == "heads" && model.problem_as_set())
    if (const ArraySpec& first = model.problem_as_set()->specs.inputs.front(); first.layout == Layout::rows)
      return fmt::format("d_model {}", model.problem_as_set()->dim(first.shapes.front().back()));
  return spec.id == "d_head" ? score_divisor(model) : std::string();
}

void draw_choice(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, Actions& actions) {
  const auto is_now = [&](const Choice& choice) { return choice.id == params.choice(spec.id); };
  const int chosen = drop_down_of(ui, "params/" + spec.id, line, spec.choices, &Choice::title, is_now);
  if (chosen >= 0) actions.push_back(SetParam{spec.id, spec.choices[static_cast<std::size_t>(chosen)].id, false});
}

// A few whole numbers are chosen among; those that the input cannot be taken with are pale.
void draw_few_numbers(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, const Model& model,
                      Actions& actions) {
  const Experiment& experiment = *model.document.experiment;
  const Variant& variant = *find_variant(experiment.variant);
  const InputSpec* input = model.input(model.primary_input());
  std::vector<Segment> list;
  for (auto n = static_cast<Index>(spec.least); n <= static_cast<Index>(spec.most); n += spec.step) {
    ParamValues with = experiment.params;
    with.set(spec.id, n);
    const bool possible = !input || takes(variant, with, *input);
    list.push_back({fmt::format("{}", n), fmt::format("{}{}", n, spec.id == "dimension" ? "D" : ""),
                    possible ? "" : fmt::format("{}D cannot take {}", n, kind_in_words(*input))});
  }
  const Index now = params.integer(spec.id);
  const int chosen = segments(ui, "params/" + spec.id, line, list,
                              static_cast<int>((now - static_cast<Index>(spec.least)) / spec.step));
  if (chosen >= 0)
    actions.push_back(SetParam{spec.id, static_cast<Index>(spec.least) + spec.step * Index{chosen}, false});
}

void draw_whole_number(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, const Model& model,
                       Actions& actions) {
  const Rect box = line.take_left(ui.px(90));
  const std::string note = param_note(spec, model);
  if (ui.width_of(Type::number_small, note) <= line.w)
    ui.text_in(Type::number_small, line, ui.theme().text_faint, note, Ui::Align::right);
  WholeNumber whole;
  whole.least = static_cast<Index>(spec.least);
  whole.most = static_cast<long long>(std::min(spec.most, 9e15));
  whole.step = spec.step;
  if (spec.automatic) whole.automatic = "auto";
  whole.is_automatic = params.is_automatic(spec.id);
  whole.known = whole.is_automatic && model.problem_as_set() && !spec.symbol.empty() &&
                model.problem_as_set()->symbols.contains(spec.symbol);
  if (whole.known)
    whole.value = model.problem_as_set()->dim(spec.symbol);
  else if (!whole.is_automatic)
    whole.value = params.integer(spec.id);
  // Odd numbers are the sides of windows, and one pixel is no window.
  if (spec.step == 2 && whole.least == 1) whole.first = 3;
  if (const auto next = whole_stepper(ui, "params/" + spec.id, box, whole))
    actions.push_back(
        SetParam{spec.id, next->automatic ? ParamValue(std::monostate{}) : ParamValue(Index{next->value}), false});
}

// A number that the mechanism finds by itself, until one is given.
void draw_automatic_real(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, Actions& actions) {
  const bool automatic = params.is_automatic(spec.id);
  const Rect number = line.take_right(ui.px(76)).inset(0, ui.px(2));
  if (const auto on = toggle(ui, "params/" + spec.id, line, automatic))
    actions.push_back(SetParam{spec.id, *on ? ParamValue(std::monostate{}) : ParamValue(0.0), false});
  if (automatic)
    ui.text_in(Type::note, number, ui.theme().text_faint, "automatic", Ui::Align::right);
  else if (const auto typed =
               number_field(ui, "params/" + spec.id + "/number", number, params.real(spec.id), spec.least, spec.most))
    actions.push_back(SetParam{spec.id, *typed, false});
}

void draw_real(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, Actions& actions) {
  if (spec.automatic) return draw_automatic_real(ui, line, spec, params, actions);
  const double usual = std::holds_alternative<double>(spec.fallback) ? std::get<double>(spec.fallback) : 1;
  const double value = params.real(spec.id);
  const Rect number = line.take_right(ui.px(56)).inset(0, ui.px(2));
  line.take_right(ui.px(6));
  const SliderChange slid =
      slider(ui, "params/" + spec.id, line, value, spec.least, spec.most, usual, spec.logarithmic);
  if (slid.value) actions.push_back(SetParam{spec.id, *slid.value, !slid.ended});
  if (slid.ended) actions.push_back(EndEdit{});
  if (const auto typed = number_field(ui, "params/" + spec.id + "/number", number, value, spec.least, spec.most))
    actions.push_back(SetParam{spec.id, *typed, false});
}

// Of the first input, which a run knows best.
InputKind kind_of_input(const Model& model) {
  if (model.problem_as_set()) return model.problem_as_set()->input_kind;
  const InputSpec* input = model.input(model.primary_input());
  return input ? kind_of(*input) : InputKind::array;
}

// Where weights come from.
void draw_weights(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Rect line{form.column.x, form.y, form.column.w, ui.px(16)};
  ui.text_in(Type::note, line, ui.theme().text_faint, weights_summary(model), Ui::Align::right);
  form.heading("Weights");
  const WeightsSpec weights = model.document.experiment->weights.value_or(WeightsSpec{});
  const bool of_layer = !weights.from.empty();
  const bool file = of_layer || (!model.document.experiment->arrays.empty() && !file_is_unused(model));
  // Heads are made by hand for channels whose meaning is known: numbers from arrays get random ones.
  const bool unknown = kind_of_input(model) == InputKind::array;
  const bool by_hand = has_textbook(*find_variant(model.document.experiment->variant));
  int current = weights.init == "textbook" && !unknown && by_hand ? 0 : 1;
  if (weights.init == "trained") current = 2;
  if (file) current = 3;
  const int chosen = segments(ui, "weights", form.line(32, 8),
                              {{"textbook", "Textbook", unknown ? "No heads are made by hand for arrays" : ""},
                               {"random", "Random", ""},
                               {"trained", "Trained", why_not(SetWeights{"trained"}, model)},
                               {"file", "File", ""}},
                              current);
  if (chosen == 0) actions.push_back(SetWeights{"textbook", weights.seed});
  if (chosen == 1) actions.push_back(SetWeights{"xavier_normal", weights.seed});
  if (chosen == 2) actions.push_back(SetWeights{"trained", weights.seed});
  if (chosen == 3) actions.push_back(ShowDialog{Dialog::open});
  if (const std::string words = weights_in_words(model); !words.empty())
    form.log_words("weights/words", ui.theme().text_muted, words, Type::note, 8);
  if (of_layer || current != 1) return;
  const auto inits =
      std::vector<std::string>(weight_inits().begin() + 1, weight_inits().end() - 1);  // between textbook and trained
  const std::string drawn = weights.init == "textbook" ? "xavier_normal" : weights.init;  // what takes its place
  const auto at = std::ranges::find(inits, drawn);
  const int init = drop_down(ui, "weights/init", form.row("Drawn as"), inits, static_cast<int>(at - inits.begin()));
  if (init >= 0) actions.push_back(SetWeights{inits[static_cast<std::size_t>(init)], weights.seed});
  Rect seed = form.row("Seed");
  if (const auto next = number_stepper(ui, "weights/seed", seed.take_left(ui.px(110)),
                                       static_cast<long long>(weights.seed), 0, INT64_MAX))
    actions.push_back(SetWeights{drawn, static_cast<std::uint64_t>(*next)});
}

}  // namespace

void draw_param_control(Ui& ui, Rect line, const ParamSpec& spec, const ParamValues& params, const Model& model,
                        Actions& actions) {
  if (spec.id == "scale") {  // 1/√d' or nothing: the choice that the paper speaks of
    if (const auto on = toggle(ui, "params/scale", line, params.is_automatic("scale")))
      actions.push_back(SetParam{"scale", *on ? ParamValue(std::monostate{}) : ParamValue(1.0), false});
    if (!params.is_automatic("scale"))
      ui.text_in(Type::number_note, line, ui.theme().text_faint, fmt::format("× {:.3g}", params.real("scale")),
                 Ui::Align::right);
    return;
  }
  switch (spec.type) {
    case ParamType::choice:
      return draw_choice(ui, line, spec, params, actions);
    case ParamType::integer:
      if (!spec.automatic && spec.most - spec.least < 4)
        return draw_few_numbers(ui, line, spec, params, model, actions);
      return draw_whole_number(ui, line, spec, params, model, actions);
    case ParamType::real:
      return draw_real(ui, line, spec, params, actions);
    case ParamType::flag:
      if (const auto on = toggle(ui, "params/" + spec.id, line, params.flag(spec.id)))
        actions.push_back(SetParam{spec.id, *on, false});
  }
}

float draw_settings(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  draw_input(form, model, memory, actions);
  form.divider(box.x, box.w);
  draw_mechanisms(form, model, actions);
  form.divider(box.x, box.w);
  draw_params(form, model, memory, actions);
  if (!model.problem_as_set() || !model.problem_as_set()->specs.weights.empty()) {  // there is something to learn
    form.divider(box.x, box.w);
    draw_weights(form, model, actions);
  }
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
