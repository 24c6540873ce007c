// What only who presents a lesson sees: the step's question with its answer, the hints, what the lesson's notes say,
// and which step comes next.
#include "app/panels/present/parts.h"

namespace headlight::app {

namespace {

std::string right_in_words(const LessonQuestion& question, const PlayedStep& step) {
  if (question.kind == AskKind::deed) {
    std::string words;
    for (const auto& line : question.solution) words += (words.empty() ? "" : "; ") + line.text;
    return words;
  }
  if (question.kind == AskKind::choice) {
    const std::size_t at = step.truth->option;
    return fmt::format("{}: {}", SlideView::letter(at), plain_text(step.question.options[at]));
  }
  return answer_in_words(question, right_answer(question, *step.truth));
}

void draw_step(NoteColumn& column, const Model& model) {
  const Theme& t = column.ui.theme();
  const LessonStep& step = model.learner.played->lesson->steps[model.learner.step];
  const PlayedStep& played = played_step(model);
  if (!step.ask) return column.head("Nothing is asked");
  column.head(awaits_answer(model) ? "What the class is asked" : "The answer is shown");
  column.say(plain_text(played.question.question), t.text);
  column.gap(14);
  if (played.truth) {
    const std::string right = right_in_words(*step.ask, played);
    column.ui.log("notes/answer", {column.box.x, column.y, column.box.w, 1}, right);
    column.say("Right: " + right, t.ok, Type::presenter_note);
  }
  if (played.question.because && !awaits_answer(model)) column.say(plain_text(*played.question.because), t.text_muted);
  for (const auto& hint : played.question.hints) {
    column.gap(10);
    column.say("Hint: " + plain_text(hint), t.text_muted);
  }
}

void draw_notes_of_step(NoteColumn& column, const Model& model) {
  const LessonStep& step = model.learner.played->lesson->steps[model.learner.step];
  const PlayedStep& played = played_step(model);
  column.head("Notes");
  std::string all;
  for (std::size_t i = 0; i < step.parts.size(); ++i) {
    if (step.parts[i].kind != LessonPart::Kind::note) continue;
    const std::string words = plain_text(played.texts[i]);
    column.say(words, column.ui.theme().text, Type::presenter_note);
    column.gap(14);
    all += (all.empty() ? "" : "\n") + words;
  }
  column.ui.log("notes/written", {column.box.x, column.y, column.box.w, 1}, all);
  if (all.empty())
    column.say("None here: a fence called note in the lesson's file is for whoever presents it.",
               column.ui.theme().text_muted);
}

}  // namespace

void draw_lesson_notes(Ui& ui, Rect window, const Model& model) {
  const Theme& t = ui.theme();
  const auto& steps = model.learner.played->lesson->steps;
  const std::size_t at = model.learner.step;
  ui.clip(window);
  ui.fill(window, t.canvas);
  Rect bar = window.take_top(ui.px(72)), below = window.take_bottom(ui.px(72));
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, t.line, ui.px(1));
  bar = bar.inset(ui.px(32), 0);
  words_at_right(ui, Type::presenter_number, bar, t.text, fmt::format("{} / {}", at + 1, steps.size()), 28);
  ui.text_in(Type::presenter_label, bar, t.text, steps[at].title);
  ui.fill(below, t.panel);
  const std::string next = at + 1 < steps.size() ? "Next: " + steps[at + 1].title : "This is the last step";
  ui.text_in(Type::presenter_label, below.inset(ui.px(32), 0), t.text, next);
  ui.log("notes/next", below, next);
  Rect right = window.inset(ui.px(32), ui.px(20));
  const Rect left = right.take_left(right.w * 0.52F);
  right.take_left(ui.px(40));
  draw_note_column(ui, "notes/left", left, [&](NoteColumn& column) { draw_step(column, model); });
  draw_note_column(ui, "notes/right", right, [&](NoteColumn& column) { draw_notes_of_step(column, model); });
  ui.unclip();
}

}  // namespace headlight::app
