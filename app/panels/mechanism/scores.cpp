// The parts of a score as maps that add up; and ways to score a pair beside each other: the same sentences, the map
// that each makes of them, and what each does in numbers.
#include <fmt/ranges.h>

#include <cmath>

#include "app/model/mechanism_report.h"
#include "app/panels/common/form.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/costs.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// "the to mat: 0.3536 · (169.7056 + 8.4103) = 62.9735".
std::string sum_in_words(const mechanism::ScoreParts& parts, const MechanismFrame& frame) {
  const auto digits = [](double number) { return with_minus_signs(fmt::format("{:.4g}", number)); };
  const auto then = [&](double number) {  // what follows another number
    return fmt::format(" {} {}", number < 0 ? "−" : "+", digits(std::abs(number)));
  };
  std::string inside;
  for (const Step* step : parts.scaled) {
    const double number = frame.pair_value(*step);
    inside += inside.empty() ? digits(number) : then(number);
  }
  const double scale = mechanism::score_scale(frame.trace, frame.of);
  std::string words = fmt::format("{} to {}: ", frame.query, frame.key);
  const std::string whole = parts.scaled.size() > 1 && scale != 1 ? "(" + inside + ")" : inside;
  words += scale == 1 ? whole : fmt::format("{} · {}", digits(scale), whole);
  if (parts.added) words += then(frame.pair_value(*parts.added));
  return fmt::format("{} = {}", words, digits(frame.pair_value(*parts.sum)));
}

std::string first_word(const std::string& title) {
  return title.substr(0, title.find(' '));
}

// One of them, and the run that it was found in; no trace: not run yet, or it cannot be.
struct FormRun {
  ScoreForm form;
  const Trace* trace = nullptr;
  const Problem* problem = nullptr;
  const Outcome* beside = nullptr;  // null: the run's own
};

std::vector<FormRun> collect_forms(const MechanismFrame& frame) {
  std::vector<FormRun> found;
  const MechanismReport* report = frame.model.mechanism.get();
  const bool known = report && report->of_ticket == frame.model.shown.ticket;
  for (ScoreForm& form : frame.problem.variant->score_forms(frame.problem.params)) {
    const std::size_t i = found.size();
    FormRun& one = found.emplace_back(FormRun{.form = std::move(form)});
    if (one.form.own) {
      one.trace = &frame.trace;
      one.problem = &frame.problem;
    } else if (known && i < report->scores.size()) {
      one.beside = &report->scores[i];
      one.trace = one.beside->trace.get();
      one.problem = one.beside->problem.get();
    }
  }
  return found;
}

std::string largest_of(const Step& step) {
  double largest = 0;
  for (const Extent& extent : step.extents)
    if (extent.finite > 0)
      largest = std::max(
          {largest, std::abs(static_cast<double>(extent.least)), std::abs(static_cast<double>(extent.greatest))});
  return number_text(largest, 3);
}

struct Line {
  const char* name;
  const char* id;
  const char* help;
  std::string (*number)(const FormRun& form, const MechanismFrame& frame);
};

const Step* scores_of(const FormRun& form) {
  return form.trace->scores_before(*form.trace->map());
}

const Line lines[] = {
    {"score here", "score", "What the selected query and key score.",
     [](const FormRun& form, const MechanismFrame& frame) {
       const double score = frame.pair_value(*scores_of(form), 0);
       return std::isinf(score) ? std::string("masked") : number_text(score, 3);
     }},
    {"weight here", "weight", "What the key gets of the query's row.",
     [](const FormRun& form, const MechanismFrame& frame) {
       return with_minus_signs(fmt::format("{:.4f}", frame.pair_value(*form.trace->map(), 0)));
     }},
    {"max score", "max-score",
     "By size, of all pairs. Products grow with the states that are multiplied; tanh keeps each feature below 1, so "
     "that a sum of them cannot exceed Σ|w|.",
     [](const FormRun& form, const MechanismFrame&) { return largest_of(*scores_of(form)); }},
    {"max weight", "max-weight", "Of all pairs.",
     [](const FormRun& form, const MechanismFrame&) { return largest_of(*form.trace->map()); }},
    {"operations", "operations", "Of the whole run, a multiply-add counted as two.",
     [](const FormRun& form, const MechanismFrame&) { return count_text(cost_of(*form.problem).operations); }},
};

void draw_form_map(const MechanismFrame& frame, Rect place, const FormRun& form) {
  const Step& own = *frame.trace.map();
  MapData data = frame.memory.cells.map(frame.ui, frame.model, own, 0);
  if (form.beside) {
    SideBySide both;
    both.a = form.beside;
    both.step_a = form.trace->map();
    both.step_b = &own;
    both.focus_a = effective_focus(frame.model);
    both.focus_a.flat = true;
    both.focus_a.selection = {};
    data = frame.cache().forms[form.form.title].map_of_a(frame.ui, both, data);
  }
  data.key = "mechanism/form/" + form.form.title;
  draw_small_map(frame, place, data);
}

// "Drawn for this, as the run has none: W_a (General)." Empty where the run's own weights are all that they need.
std::string drawn_in_words(const std::vector<FormRun>& forms, const MechanismFrame& frame) {
  std::vector<std::string> drawn;
  for (const FormRun& form : forms) {
    if (!form.beside || !form.problem) continue;
    std::vector<std::string> symbols;
    for (const ArraySpec& spec : form.problem->specs.weights)
      if (form.problem->find(spec.id) && !frame.problem.find(spec.id)) symbols.push_back(spec.symbol);
    if (!symbols.empty()) drawn.push_back(fmt::format("{} ({})", fmt::join(symbols, ", "), form.form.title));
  }
  return drawn.empty() ? std::string()
                       : fmt::format("Drawn at random, as this run has none: {}.", fmt::join(drawn, "; "));
}

// The mechanism and its parameters in place of those that there are.
void choose_form(const ScoreForm& form, const MechanismFrame& frame) {
  if (form.made_by.variant != frame.problem.variant->info().id)
    frame.actions.push_back(SetVariant{form.made_by.variant});
  frame.actions.push_back(SetParam{form.made_by.params.front().first, form.made_by.params.front().second});
}

constexpr float line_height = 21, head_height = 42;  // px of the design

// Name and formula over the map, its numbers below; a press takes this one.
void draw_form(const MechanismFrame& frame, Rect column, const FormRun& form, float side) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const std::string path = "mechanism/form/" + form.form.title;
  const bool own = form.form.own;
  const auto hit = ui.hit(path, column, !own, form.form.formula, own ? "chosen" : "");
  if (hit.hovered && !own) ui.fill(column.inset(-ui.px(4)), t.sunken, ui.px(6));
  if (hit.focused) ui.focus_ring(column.inset(-ui.px(4)), ui.px(6));
  if (hit.clicked && !own) choose_form(form.form, frame);
  ui.tooltip(path, column, own ? "" : fmt::format("Score by {} instead", form.form.formula));
  Rect words = column;
  ui.text_in(own ? Type::label_strong : Type::label, words.take_top(ui.px(20)), own ? t.text : t.text_muted,
             form.form.title);
  ui.text_in(Type::number_note, words.take_top(ui.px(18)), own ? t.score.main : t.text_faint, form.form.formula);
  const Rect place{column.x, column.y + ui.px(head_height), side, side};
  if (!form.trace || !form.trace->map()) {
    const std::string why = form.beside && !form.beside->error.empty() ? form.beside->error : "being run …";
    paragraph(ui, {place.x, place.y}, column.w, t.text_muted, why, true, Type::note);
    ui.log(path + "/refused", place, why);
    return;
  }
  draw_form_map(frame, place, form);
  if (own) ui.frame(place.inset(-ui.px(4)), t.ink, ui.px(4), ui.px(2));
  Rect number{place.x, place.bottom() + ui.px(12), column.w, ui.px(line_height)};
  for (const Line& line : lines) {
    const std::string text = line.number(form, frame);
    ui.text_in(Type::number, number, own ? t.text : t.text_muted, text);
    ui.log(path + "/" + line.id, number, text);
    number.y += number.h;
  }
}

}  // namespace

void draw_score_parts(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const float wide = frame.box.w;
  const mechanism::ScoreParts parts = mechanism::score_parts(frame.trace);
  std::vector<const Step*> maps = parts.scaled;
  if (parts.added) maps.push_back(parts.added);
  maps.push_back(parts.sum);
  const auto count = static_cast<float>(maps.size());
  const float between = ui.px(24), usual = std::min(ui.px(120), (wide - between * (count - 1)) / count);
  // The sum stands under the maps; where there is little room, and it is short, beside the title.
  const std::string title = "A score, part by part", words = sum_in_words(parts, frame);
  const float above = ui.px(42), below = ui.px(8) + frame.height_of(words, Type::number_note);
  const bool short_words = ui.width_of(Type::note, words) < wide - ui.width_of(Type::label_strong, title) - ui.px(16);
  const bool beside = short_words && frame.share < above + usual + below;
  float least = ui.px(44);  // and as wide as the names' first words
  for (const Step* map : maps) least = std::max(least, ui.width_of(Type::note, first_word(map->info.title)) + ui.px(1));
  const float side = std::clamp(frame.share - above - (beside ? 0 : below), std::min(usual, least), usual);
  frame.title(title, beside ? words : "each on a scale of its own");
  Rect line = frame.box.take_top(side + ui.px(18));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (i > 0) draw_sign(ui, line.take_left(between), i + 1 == maps.size() ? "=" : "+");
    std::string name = maps[i]->info.title;  // its first word where there is no room for more
    if (ui.width_of(Type::note, name) > side) name = first_word(name);
    draw_named_map(frame, line.take_left(side), frame.head_map("part", *maps[i], frame.of.head), name);
  }
  ui.log("mechanism/parts", frame.box, words);
  if (beside) return;
  frame.skip(8);
  frame.words(words, ui.theme().text, Type::number_note);
}

void draw_score_forms(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const std::vector<FormRun> forms = collect_forms(frame);
  frame.title("One input, three ways to score", "weights on one scale");
  Rect& box = frame.box;
  const float each = ui.px(line_height), names = ui.px(86), head = ui.px(head_height);
  const float pitch = (box.w - names) / static_cast<float>(forms.size()), width = pitch - ui.px(10);
  const float below = each * static_cast<float>(std::size(lines)) + ui.px(12);
  const std::string drawn = drawn_in_words(forms, frame);
  const float note = drawn.empty() ? 0 : ui.px(8) + frame.height_of(drawn);
  const float side = std::clamp(frame.height_left(head + below + note), std::min(ui.px(64), width), width);
  Rect label{box.x, box.y + head + side + ui.px(12), names, each};
  for (const Line& line : lines) {
    ui.text_in(Type::label, label, ui.theme().text_muted, line.name);
    ui.tooltip(std::string("mechanism/form/line/") + line.id, {label.x, label.y, box.w, label.h}, line.help);
    label.y += each;
  }
  float x = box.x + names;
  for (const FormRun& form : forms) {
    draw_form(frame, {x, box.y, width, head + side}, form, side);
    x += pitch;
  }
  box.take_top(head + side + below);
  if (drawn.empty()) return;
  ui.log("mechanism/forms/drawn", box, drawn);
  paragraph(ui, {box.x, box.y + ui.px(6)}, box.w, ui.theme().text_faint, drawn, true, Type::note);
  box.take_top(note);
}

}  // namespace headlight::app
