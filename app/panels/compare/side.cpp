// What stands at the left where two results are compared: what A and B are made with, what differs first and set from
// here; what that changed, in numbers.
#include <fmt/ranges.h>

#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/compare/parts.h"
#include "app/panels/setup/parts.h"
#include "app/reading/inputs.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/run/trained.h"
#include "engine/weights/textbook.h"

namespace headlight::app {

namespace {

constexpr float low_side = 760;  // px of the design, below which what is the same is a line

// A line of the table of both.
struct ParameterLine {
  std::string name, a, b;
  const ParamSpec* spec = nullptr;  // which B is set by; null: by other means
  bool differs = false;
};

std::string scale_in_words(const ParamValues& params) {
  if (params.is_automatic("scale")) return "1/√d";
  return params.real("scale") == 1 ? "off" : fmt::format("× {:.3g}", params.real("scale"));
}

std::string value_in_words(const ParamSpec& spec, const ParamValues& params) {
  if (spec.id == "scale") return scale_in_words(params);
  const ParamValue& value = params.get(spec.id);
  if (const auto* choice = std::get_if<std::string>(&value)) {
    const auto found = std::ranges::find(spec.choices, *choice, &Choice::id);
    return found == spec.choices.end() ? *choice : found->title;
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
  if (const auto* number = std::get_if<double>(&value)) return short_number(*number);
  return std::holds_alternative<std::monostate>(value) ? "auto" : to_string(value);
}

// As it ran: what nobody set may have been taken from the input.
const ParamValues& params_of(const Outcome& run) {
  return run.problem ? run.problem->params : run.experiment->params;
}

// Whether what is given by that id are weights of the mechanism.
bool is_weight(const Outcome& run, const std::string& id) {
  return run.problem && std::ranges::count(run.problem->specs.weights, id, &ArraySpec::id) > 0;
}

// Whether both are given the same weights, or the same to read.
bool same_inputs(const Outcome& a, const Outcome& b, bool weights) {
  const auto has_all_of = [&](const Outcome& run, const Outcome& other) {
    return std::ranges::all_of(run.experiment->inputs, [&](const auto& given) {
      const auto found = other.experiment->inputs.find(given.first);
      return is_weight(run, given.first) != weights ||
             (found != other.experiment->inputs.end() && found->second == given.second);
    });
  };
  return has_all_of(a, b) && has_all_of(b, a);
}

std::string input_in_words(const Outcome& run) {
  std::string words;
  for (const auto& [id, input] : run.experiment->inputs) {
    if (is_weight(run, id)) continue;
    const bool text = std::holds_alternative<TextInput>(input);
    const Axis* queries = run.trace && words.empty() ? queries_of(*run.trace) : nullptr;
    if (!words.empty()) words += " + ";
    words +=
        text && queries ? fmt::format("{} tokens", queries->size) : std::string(kind_in_words(input)).substr(0, 24);
  }
  return words.empty() ? "none" : words;
}

// "step 100" of what is called "Repeat · layer 1 · step 100", "mine" of mine.headlight.
std::string short_run_name(const Experiment& experiment) {
  constexpr std::string_view between = " · ";
  const auto last = experiment.name.rfind(between);
  if (last != std::string::npos) return experiment.name.substr(last + between.size());
  return experiment.name.empty() ? "numbers" : utf8(path_of_utf8(experiment.name).stem());
}

std::string weights_in_words(const Outcome& run) {
  const Experiment& experiment = *run.experiment;
  if (std::ranges::any_of(experiment.inputs, [&](const auto& given) { return is_weight(run, given.first); }))
    return short_run_name(experiment);
  const WeightsSpec weights = experiment.weights.value_or(WeightsSpec{});
  if (!weights.from.empty()) {
    const std::string layer = run.problem ? run.problem->model.layer : "";
    return name_without_folders(resolve_path(experiment.folder, weights.from)) + (layer.empty() ? "" : ", ") + layer;
  }
  if (!experiment.arrays.empty()) return utf8(path_of_utf8(experiment.arrays).filename());
  if (run.problem && run.problem->specs.weights.empty()) return "none";
  if (weights.init == "trained") {
    const auto set = trained_set_of(experiment);
    return set ? (*set)->title : "none";
  }
  if (weights.init != "textbook") return fmt::format("{} {}", weights.init, weights.seed);
  return has_textbook(*find_variant(experiment.variant)) ? "Textbook" : fmt::format("xavier_normal {}", weights.seed);
}

std::string edits_in_words(const Experiment& experiment) {
  const auto on = std::ranges::count(experiment.edits, true, &Edit::on);
  return on == 0 ? "none" : fmt::format("{}", on);
}

// The words of the edits that one of both has alone.
std::vector<std::string> own_edits(const Trace& of, const Trace& other) {
  std::vector<std::string> words;
  for (const AppliedEdit& edit : of.edits)
    if (std::ranges::find(other.edits, edit.words, &AppliedEdit::words) == other.edits.end())
      words.push_back(edit.words);
  return words;
}

std::vector<ParameterLine> make_lines(const Outcome& a, const Outcome& b) {
  const Experiment &in_a = *a.experiment, &in_b = *b.experiment;
  const Variant &of_a = *find_variant(in_a.variant), &of_b = *find_variant(in_b.variant);
  std::vector<ParameterLine> lines;
  const auto add = [&](std::string name, std::string with_a, std::string with_b, bool differs) {
    lines.push_back({std::move(name), std::move(with_a), std::move(with_b), nullptr, differs});
  };
  add("Mechanism", of_a.info().title, of_b.info().title, in_a.variant != in_b.variant);
  const ParamValues &values_a = params_of(a), &values_b = params_of(b);
  for (const ParamSpec& spec : of_b.params()) {
    const ParamSpec* same = find_param(of_a.params(), spec.id);
    const bool there = same && same->type == spec.type;
    const bool differs = !there || values_a.get(spec.id) != values_b.get(spec.id);
    const bool basic = !spec.advanced || spec.id == "scale";
    const bool counts =
        is_active(of_b.params(), spec, values_b) || (there && is_active(of_a.params(), *same, values_a));
    if (!differs && !basic) continue;
    if (!counts || (!there && !basic)) continue;
    lines.push_back(
        {spec.title, there ? value_in_words(*same, values_a) : "—", value_in_words(spec, values_b), &spec, differs});
  }
  add("Weights", weights_in_words(a), weights_in_words(b),
      in_a.weights != in_b.weights || in_a.arrays != in_b.arrays || !same_inputs(a, b, true));
  const std::string input = input_in_words(a), other = input_in_words(b);
  const bool same_input = same_inputs(a, b, false);
  add("Input", input, !same_input && input == other ? "another" : other, !same_input);
  if (in_a.arrange != in_b.arrange)
    add("Positions moved", in_a.arrange ? "yes" : "no", in_b.arrange ? "yes" : "no", true);
  if (!in_a.edits.empty() || !in_b.edits.empty())
    add("Edits", edits_in_words(in_a), edits_in_words(in_b), !(in_a.edits == in_b.edits));
  std::stable_partition(lines.begin(), lines.end(), [](const ParameterLine& line) { return line.differs; });
  return lines;
}

struct Table {
  Ui& ui;
  Rect box;
  float y;

  Rect name() const { return {box.x, y, ui.px(96), ui.px(28)}; }
  Rect a() const { return {box.x + ui.px(100), y, ui.px(80), ui.px(28)}; }
  Rect b() const { return {box.x + ui.px(184), y, box.w - ui.px(184) - ui.px(18), ui.px(28)}; }
};

void draw_fitted(Ui& ui, Type type, Rect cell, Color32 color, const std::string& words) {
  ui.text_in(type, cell, color, ui.fitted(type, words, cell.w));
}

void draw_line(Table& table, const ParameterLine& line, const ParamValues& params, const Model& model,
               Actions& actions) {
  Ui& ui = table.ui;
  const Theme& t = ui.theme();
  // The lines are of the last run: a mechanism that has not run yet has other parameters.
  const bool sets = line.differs && line.spec && model.shown.experiment->variant == model.document.experiment->variant;
  const float height = ui.px(line.differs ? 34 : 28);
  const Rect whole{table.box.x - ui.px(8), table.y, table.box.w + ui.px(16), sets ? ui.px(70) : height};
  if (line.differs) {
    ui.fill(whole.inset(0, 1), t.brand_soft, ui.px(6));
    table.y += ui.px(3);
    ui.text_in(Type::label_strong, {whole.right() - ui.px(22), table.y, ui.px(14), ui.px(28)}, t.text, "≠");
  }
  draw_fitted(ui, line.differs ? Type::label_strong : Type::label, table.name(), line.differs ? t.text : t.text_muted,
              line.name);
  draw_fitted(ui, line.differs ? Type::label_strong : Type::label, table.a(), t.text, line.a);
  draw_fitted(ui, line.differs ? Type::label_strong : Type::label, table.b(), line.differs ? t.text : t.text_faint,
              line.differs ? line.b : "same");
  const std::string path = "compare/line/" + line.name;
  ui.log(path, whole, line.a + " | " + line.b, line.differs ? "differs" : "");
  ui.tooltip(path, {whole.x, whole.y, whole.w, ui.px(28)}, fmt::format("A: {}\nB: {}", line.a, line.b),
             Ui::Side::right);
  if (sets) {
    Rect control{table.box.x, table.y + ui.px(29), table.box.w, ui.px(32)};
    ui.text_in(Type::note, control.take_left(ui.px(100)), t.text_muted, "Change in B");
    draw_param_control(ui, control, *line.spec, params, model, actions);
  }
  table.y = whole.bottom();
}

void draw_columns(Table& table) {
  draw_side_sign(table.ui, {table.a().x, table.y + table.ui.px(4)}, true);
  draw_side_sign(table.ui, {table.b().x, table.y + table.ui.px(4)}, false);
  table.y += table.ui.px(30);
}

// What is the same in both: in low windows a line that opens.
void draw_same(Table& table, const std::vector<ParameterLine>& lines, const ParamValues& params, bool low,
               const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = table.ui;
  const auto same = std::ranges::count(lines, false, &ParameterLine::differs);
  if (same == 0) return;
  if (bool& shown = memory.get<CompareMemory>().same_shown; low) {
    const Rect line{table.box.x, table.y, table.box.w, ui.px(28)};
    const std::string words = same == 1 ? "1 is the same" : fmt::format("{} are the same", same);
    const auto hit = ui.hit("compare/same", line, true, words, shown ? "" : "folded");
    if (hit.clicked) shown = !shown;
    const Color32 color = hit.hovered ? ui.theme().text : ui.theme().text_muted;
    ui.text_in(Type::label, line, color, words);
    const float after = ui.width_of(Type::label, words) + ui.px(12);
    draw_icon(ui, shown ? Icon::chevron_down : Icon::chevron_right, {line.x + after, line.middle().y}, color);
    if (hit.focused) ui.focus_ring(line, ui.px(control_radius));
    table.y = line.bottom();
    if (!shown) return;
  }
  for (const ParameterLine& line : lines)
    if (!line.differs) draw_line(table, line, params, model, actions);
}

// ---- What changed

std::string direction(double from, double to) {
  return to > from ? "rises" : "falls";
}

// Sentences of numbers alone.
std::string change_in_words(const RunNumbers& numbers, const std::string& most_at) {
  std::string words;
  const auto say = [&](const std::string& what, double a, double b, int digits, const char* unit) {
    const std::string from = fmt::format("{:.{}f}", a, digits), to = fmt::format("{:.{}f}", b, digits);
    if (from == to)
      words += fmt::format("{} stays at {}{}. ", what, from, unit);
    else
      words += fmt::format("{} {} from {} to {}{}. ", what, direction(a, b), from, to, unit);
  };
  if (numbers.a && numbers.b) {
    if (numbers.a->entropy && numbers.b->entropy)
      say("The mean entropy of a row", *numbers.a->entropy, *numbers.b->entropy, 2, " nats");
    say("Its largest weight", numbers.a->peak, numbers.b->peak, 3, " on average");
    if (std::abs(numbers.a->sum - 1) > 1e-3 || std::abs(numbers.b->sum - 1) > 1e-3)
      say("A row's sum", numbers.a->sum, numbers.b->sum, 3, " on average");
    if (numbers.a->later && numbers.b->later && std::max(*numbers.a->later, *numbers.b->later) > 0)
      say("The weight on keys after the query", 100 * *numbers.a->later, 100 * *numbers.b->later, 1, " %");
  }
  if (!numbers.output) return words.empty() ? "These two runs have no numbers in common." : words;
  if (*numbers.output == 0) return words + "The output stays as it is.";
  if (numbers.output_rounded) return words + "The output is the same but for rounding.";
  return words + fmt::format("The output changes by {:.1f} % of its size{}.", *numbers.output * 100, most_at);
}

void draw_means(Form& form, const RunNumbers& numbers) {
  Table table{form.ui, form.column, form.y};
  const auto add = [&](const std::string& name, const std::string& a, const std::string& b) {
    draw_fitted(table.ui, Type::label, table.name(), table.ui.theme().text_muted, name);
    Rect first = table.a();
    if (b.empty()) first.w = table.b().right() - first.x;  // of both together
    table.ui.text_in(Type::number, first, table.ui.theme().text, a);
    table.ui.text_in(Type::number, table.b(), table.ui.theme().text, b);
    table.ui.log("compare/means/" + name, {table.box.x, table.y, table.box.w, table.ui.px(28)}, a + " " + b);
    table.y += table.ui.px(28);
  };
  const auto text = [](std::optional<double> value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : std::string("—");
  };
  if (numbers.a && numbers.b) {
    add("Mean entropy", text(numbers.a->entropy, 2), text(numbers.b->entropy, 2));
    add("Mean peak", text(numbers.a->peak, 3), text(numbers.b->peak, 3));
    if (std::abs(numbers.a->sum - 1) > 1e-3 || std::abs(numbers.b->sum - 1) > 1e-3)
      add("Mean row sum", text(numbers.a->sum, 3), text(numbers.b->sum, 3));
    if (numbers.a->later.value_or(0) > 0 || numbers.b->later.value_or(0) > 0)
      add("On later keys", text(numbers.a->later, 3), text(numbers.b->later, 3));
  }
  add("Output change", numbers.output ? fmt::format("{:.1f} % of A", *numbers.output * 100) : "—", "");
  form.y = table.y;
}

void draw_edits_alone(Form& form, const Outcome& a, const Model& model) {
  for (const auto& [side, list] :
       {std::pair{"A", own_edits(*a.trace, *model.trace())}, {"B", own_edits(*model.trace(), *a.trace)}})
    for (const std::string& words : list)
      form.words(form.ui.theme().text_muted, fmt::format("In {} alone: {}.", side, words), Type::note, 4);
}

// What can be done with both.
void draw_ways(Form& form, Actions& actions) {
  Ui& ui = form.ui;
  form.y += ui.px(10);
  const float w = (form.column.w - ui.px(8)) / 2;
  const auto pair = [&](const char* path, const char* label, float x) {
    return button(ui, path, {form.column.x + x, form.y, w, ui.px(32)}, label);
  };
  if (pair("compare/settle-a", "Settle on A", 0)) actions.push_back(KeepOneOfBoth{true});
  if (pair("compare/settle-b", "Settle on B", w + ui.px(8))) actions.push_back(KeepOneOfBoth{false});
  form.y += ui.px(40);
  if (pair("compare/edit-a", "Edit A", 0)) actions.insert(actions.end(), {SwapHeld{}, ShowScreen{Screen::explore}});
  if (pair("compare/edit-b", "Edit B", w + ui.px(8))) actions.push_back(ShowScreen{Screen::explore});
  form.y += ui.px(32);
}

}  // namespace

std::string differs_in_words(const Model& model, bool of_a) {
  const Outcome& a = model.comparison.a.outcome;
  if (!a.trace || !model.trace() || !a.experiment || !model.shown.experiment) return {};
  std::vector<std::string> words;
  for (const ParameterLine& line : make_lines(a, model.shown)) {
    if (!line.differs) continue;
    words.push_back(fmt::format("{} {}", lower_first(line.name), of_a ? line.a : line.b));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

float draw_compare_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(14)};
  Rect title{form.column.x, form.y, form.column.w, ui.px(32)};
  const Rect swap = title.take_right(ui.px(34));
  if (model.document.held && icon_button(ui, "compare/swap", swap, Icon::swap, hint_of("swap-ab", model)))
    actions.push_back(command_named("swap-ab").command->action(model));
  ui.text_in(Type::title, title, ui.theme().text, "Two experiments");
  form.y += ui.px(40);
  const Outcome& a = model.comparison.a.outcome;
  if (!model.document.held || !a.trace || !model.trace() || model.shows_older()) {
    const char* why = a.trace ? "B has no result yet: what is set was not run." : "A has no result yet.";
    if (!model.document.held) why = "B is the open experiment. Hold one as A to compare it with.";
    form.words(ui.theme().text_muted, why, Type::label);
    return form.y + ui.px(16) - box.y;
  }
  Table table{ui, form.column, form.y};
  draw_columns(table);
  const ParamValues params = model.params();
  const auto lines = make_lines(a, model.shown);
  for (const ParameterLine& line : lines)
    if (line.differs) draw_line(table, line, params, model, actions);
  draw_same(table, lines, params, box.h < ui.px(low_side), model, memory, actions);
  form.y = table.y;
  draw_edits_alone(form, a, model);
  draw_ways(form, actions);
  form.divider(box.x, box.w);
  form.heading("What changed");
  const RunNumbers& numbers = contrast_in(memory).numbers(model, a);
  const std::string words = change_in_words(numbers, most_changed_in_words(ui, model, numbers));
  form.log_words("compare/words-of-change", ui.theme().text, words, Type::label);
  draw_most_changed(form, a, model, memory, actions);
  form.divider(box.x, box.w);
  form.heading("All heads");
  draw_means(form, numbers);
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
