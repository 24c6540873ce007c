// The task's counter-tests: what should fail, or should not, a press away, and what those that were tried came to.
#include "app/actions/action_table.h"
#include "app/model/counter_tests.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// What is said: the figure that tells that it was learned, and all that are not measured on weights.
std::vector<const learn::FigureWords*> shown_figures(const learn::Task& task) {
  std::vector<const learn::FigureWords*> said;
  for (const learn::FigureWords& figure : task.figures())
    if (figure.id == task.info().learned || !figure.of_weights) said.push_back(&figure);
  return said;
}

// What it came to, or how high that is, where it is not drawn.
float draw_outcome(Ui& ui, Rect box, const std::string& path, const learn::Task& task, const TestResult& result,
                   bool draw) {
  const Theme& t = ui.theme();
  const std::string words = in_words(result);
  float y = box.y + ui.px(4);
  const float height = paragraph(ui, {box.x, y}, box.w, t.text, words, draw, Type::note);
  if (draw) ui.log(path, {box.x, y, box.w, height}, words);
  y += height;
  for (const learn::FigureWords* figure : shown_figures(task)) {
    const auto found = result.figures.find(figure->id);
    if (found == result.figures.end()) continue;
    const Rect line{box.x, y, box.w, ui.px(20)};
    y += line.h;
    if (!draw) continue;
    const std::string number = with_minus_signs(fmt::format("{:.3f}", found->second));
    ui.log(path + "/" + figure->id, line, number);
    ui.text_in(Type::note, line, t.text_muted, figure->title);
    ui.text_in(Type::number_small, line, figure->of_weights ? t.weight.main : t.text, number, Ui::Align::right);
  }
  return y - box.y;
}

// A card that is pressed to try it; the one that is tried has the way back.
void draw_counter_test(Form& form, const learn::CounterTest& test, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const learn::TrainingPlan& plan = training_asked(model);
  const bool tried = &test == counter_test_in(plan);
  const std::string why = tried ? std::string() : why_not(TryCounterTest{test.title}, model);
  const auto result = model.training.test_results.find(&test);
  const std::string path = "train/counter/" + test.title;
  const float left = form.column.x + ui.px(10), width = form.column.w - ui.px(20);
  const auto draw_words = [&](float top, bool draw) {
    if (draw)
      ui.text_in(Type::label_strong, {left, top, width, ui.px(20)}, why.empty() ? t.text : t.text_muted, test.title);
    float y = top + ui.px(22);
    y += paragraph(ui, {left, y}, width, t.text_muted, test.expected, draw, Type::note);
    if (result != model.training.test_results.end())
      y += draw_outcome(ui, {left, y, width, 0}, path + "/came-to", *plan.task, result->second, draw);
    if (!why.empty()) y += paragraph(ui, {left, y + ui.px(4)}, width, t.text, why + ".", draw, Type::note) + ui.px(4);
    return y - top;
  };
  const Rect card = {form.column.x, form.y, form.column.w, draw_words(form.y, false) + ui.px(tried ? 54 : 14)};
  const auto hit = tried || !why.empty() ? Ui::Hit() : ui.hit(path, card, true, test.title);
  if (tried || !why.empty()) ui.log(path, card, test.title, tried ? "selected" : "disabled");
  ui.fill(card, control_ground(ui, hit, t.canvas), ui.px(8));
  ui.frame(card, tried ? t.ink : t.line_strong, ui.px(8), tried ? ui.px(2) : 1);
  draw_words(card.y + ui.px(6), true);
  if (tried)
    draw_command(ui, "train/usual", {left, card.bottom() - ui.px(40), width, ui.px(30)}, "train-usual",
                 "Back to the usual", model, actions);
  if (hit.focused) ui.focus_ring(card, ui.px(8));
  if (hit.clicked) actions.push_back(TryCounterTest{test.title});
  form.y += card.h + ui.px(8);
}

}  // namespace

void draw_counter_tests(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  bool& away = memory.get<TrainMemory>().counter_tests_folded;
  const Rect fold{form.column.right() - ui.px(52), form.y - ui.px(6), ui.px(60), ui.px(28)};
  if (button(ui, "train/counters", fold, away ? "Show" : "Hide", ButtonLook::ghost)) away = !away;
  form.heading("Counter-tests");
  if (away) return;
  form.words(ui.theme().text, "What should fail, or should not. Each begins again with that changed.", Type::note, 8);
  for (const learn::CounterTest& test : training_asked(model).task->counter_tests())
    draw_counter_test(form, test, model, actions);
}

}  // namespace headlight::app
