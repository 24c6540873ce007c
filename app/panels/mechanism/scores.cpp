// Ways to score a pair beside each other: the same sentences, the map that each makes of them, and what each does in
// numbers. A click takes another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/model/mechanism_report.h"
#include "app/panels/common/form.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/costs.h"
#include "app/reading/printed.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// One of them, and the run that it was found in; no trace: not run yet, or it cannot be.
struct Form {
  ScoreForm form;
  const Trace* trace = nullptr;
  const Problem* problem = nullptr;
  const Outcome* beside = nullptr;  // null: the run's own
};

std::vector<Form> forms_of(const MechanismFrame& frame) {
  std::vector<Form> found;
  const MechanismReport* report = frame.model.mechanism.get();
  const bool known = report && report->of_ticket == frame.model.shown.ticket;
  for (ScoreForm& form : frame.problem.variant->score_forms(frame.problem.params)) {
    const std::size_t i = found.size();
    Form& one = found.emplace_back(Form{.form = std::move(form)});
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

// Of the pair that is selected.
double number_of_pair(const Step& map, const mechanism::PairOf& of) {
  return static_cast<double>(map.tensor().at({of.batch, 0, of.query, of.key}));
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
  std::string (*number)(const Form& form, const MechanismFrame& frame);
};

const Step* scores_of(const Form& form) {
  return form.trace->before(*form.trace->map());
}

const Line lines[] = {
    {"score here", "score", "What the selected query and key score.",
     [](const Form& form, const MechanismFrame& frame) {
       const double score = number_of_pair(*scores_of(form), frame.of);
       return std::isinf(score) ? std::string("masked") : number_text(score, 3);
     }},
    {"weight here", "weight", "What the key gets of the query's row.",
     [](const Form& form, const MechanismFrame& frame) {
       return fmt::format("{:.4f}", number_of_pair(*form.trace->map(), frame.of));
     }},
    {"max score", "max-score",
     "By size, of all pairs. Products grow with the states that are multiplied; tanh keeps each feature below 1, so "
     "that a sum of them cannot exceed Σ|w|.",
     [](const Form& form, const MechanismFrame&) { return largest_of(*scores_of(form)); }},
    {"max weight", "max-weight", "Of all pairs.",
     [](const Form& form, const MechanismFrame&) { return largest_of(*form.trace->map()); }},
    {"operations", "operations", "Of the whole run, a multiply-add counted as two.",
     [](const Form& form, const MechanismFrame&) { return count_text(cost_of(*form.problem).operations); }},
};

void draw_form_map(Ui& ui, Rect place, const Form& form, const MechanismFrame& frame, PanelMemory& memory) {
  const Step& own = *frame.trace.map();
  MapData data = memory.cells.map(ui, frame.model, own, 0);
  if (form.beside) {
    SideBySide both;
    both.a = form.beside;
    both.step_a = form.trace->map();
    both.step_b = &own;
    both.focus_a = effective_focus(frame.model);
    both.focus_a.flat = true;
    both.focus_a.selection = {};
    data = memory.get<MechanismMemory>().forms[form.form.title].map_of_a(ui, both, data);
  }
  data.key = "mechanism/form/" + form.form.title;
  draw_small_map(ui, place, data, frame);
}

// "Drawn for this, as the run has none: W_a (General)." Empty where the run's own weights are all that they need.
std::string drawn_in_words(const std::vector<Form>& forms, const MechanismFrame& frame) {
  std::vector<std::string> drawn;
  for (const Form& form : forms) {
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
void take_form(const ScoreForm& form, const MechanismFrame& frame, Actions& actions) {
  if (form.made_by.variant != frame.problem.variant->info().id) actions.push_back(SetVariant{form.made_by.variant});
  actions.push_back(SetParam{form.made_by.params.front().first, form.made_by.params.front().second});
}

float draw_beside(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const float top = box.y;
  const std::vector<Form> forms = forms_of(frame);
  picture_title(ui, box, "One input, three ways to score", "weights on one scale");
  const float each = ui.px(21), names = ui.px(86), gap = ui.px(10), head = ui.px(42);
  const auto count = static_cast<float>(forms.size());
  const float pitch = (box.w - names) / count, below = each * static_cast<float>(std::size(lines)) + ui.px(12);
  const std::string drawn = drawn_in_words(forms, frame);
  const float note = drawn.empty() ? 0 : ui.px(8) + paragraph(ui, {}, box.w, t.text_faint, drawn, false, Type::note);
  const float room = frame.share - (box.y - top) - head - below - note;
  const float side = std::clamp(room, std::min(ui.px(64), pitch - gap), pitch - gap);
  Rect label{box.x, box.y + head + side + ui.px(12), names, each};
  for (const Line& line : lines) {
    ui.text_in(Type::label, label, t.text_muted, ui.fitted(Type::label, line.name, label.w));
    ui.tooltip(std::string("mechanism/form/line/") + line.id, {label.x, label.y, box.w, label.h}, line.help);
    label.y += each;
  }
  float x = box.x + names;
  for (const Form& form : forms) {
    const std::string path = "mechanism/form/" + form.form.title;
    const Rect column{x, box.y, pitch - gap, head + side};
    x += pitch;
    const bool own = form.form.own;
    const auto hit = ui.hit(path, column, !own, form.form.formula, own ? "chosen" : "");
    if (hit.hovered && !own) ui.fill(column.inset(-ui.px(4)), t.sunken, ui.px(6));
    if (hit.focused) ui.focus_ring(column.inset(-ui.px(4)), ui.px(6));
    if (hit.clicked && !own) take_form(form.form, frame, actions);
    ui.tooltip(path, column, own ? "" : fmt::format("Score by {} instead", form.form.formula));
    Rect words = column;
    ui.text_in(own ? Type::label_strong : Type::label, words.take_top(ui.px(20)), own ? t.text : t.text_muted,
               form.form.title);
    ui.text_in(Type::number_note, words.take_top(ui.px(18)), own ? t.score.main : t.text_faint,
               ui.fitted(Type::number_note, form.form.formula, column.w));
    const Rect place{column.x, column.y + head, side, side};
    if (!form.trace || !form.trace->map()) {
      const std::string why = form.beside && !form.beside->error.empty() ? form.beside->error : "being run …";
      paragraph(ui, {place.x, place.y}, column.w, t.text_muted, why, true, Type::note);
      ui.log(path + "/refused", place, why);
      continue;
    }
    draw_form_map(ui, place, form, frame, memory);
    if (own) ui.frame(place.inset(-ui.px(4)), t.ink, ui.px(4), ui.px(2));
    Rect number{place.x, place.bottom() + ui.px(12), column.w, each};
    for (const Line& line : lines) {
      const std::string text = line.number(form, frame);
      ui.text_in(Type::number, number, own ? t.text : t.text_muted, text);
      ui.log(path + "/" + line.id, number, text);
      number.y += each;
    }
  }
  box.take_top(head + side + below);
  if (!drawn.empty()) {
    ui.log("mechanism/forms/drawn", box, drawn);
    paragraph(ui, {box.x, box.y + ui.px(6)}, box.w, t.text_faint, drawn, true, Type::note);
    box.take_top(note);
  }
  return box.y - top;
}

}  // namespace

const MechanismPicture& score_forms_picture() {
  static const MechanismPicture picture{"forms", "three ways to score",
                                        [](const Problem& problem, const Trace&) {
                                          return problem.edits.empty() &&
                                                 !problem.variant->score_forms(problem.params).empty();
                                        },
                                        draw_beside};
  return picture;
}

}  // namespace headlight::app
