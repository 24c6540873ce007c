// A lesson that is open: its text at the left, what it shows in the rest of the window.
#include <algorithm>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/common/term_card.h"
#include "app/panels/lesson/parts.h"
#include "app/platform/input.h"

namespace headlight::app {

namespace {

constexpr float text_width = 400, text_margin = 28;  // px of the design

void draw_dots(Ui& ui, Rect bar, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const Learner& learner = model.learner;
  const auto count = learner.played->steps.size();
  const std::string words = fmt::format("{} / {}", learner.step + 1, count);
  const float between = ui.px(24), width = between * static_cast<float>(count) + ui.px(60);
  float x = bar.middle().x - width / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const Point at{x + between / 2, bar.middle().y};
    const bool now = i == learner.step, passed = i < learner.step,
               done = learner.answers[i] != nullptr || (passed && !learner.played->lesson->steps[i].ask);
    const float radius = ui.px(now ? 7 : 4.5F);
    const Rect dot{at.x - radius, at.y - radius, 2 * radius, 2 * radius};
    if (now || done) ui.fill(dot, now ? t.brand : t.text, radius);
    ui.frame(dot, now || done || passed ? t.text : t.line_strong, radius, ui.px(1.5F));  // skipped: a ring
    const Rect place{x, bar.y + ui.px(8), between, bar.h - ui.px(16)};
    if (ui.hit(fmt::format("lesson/dot/{}", i), place, true, learner.played->lesson->steps[i].title,
               now ? "selected" : "")
            .clicked)
      actions.push_back(GoInLesson{static_cast<Index>(i)});
    ui.tooltip(fmt::format("lesson/dot/{}", i), place, learner.played->lesson->steps[i].title);
    x += between;
  }
  ui.text_in(Type::number, {x + ui.px(8), bar.y, ui.px(60), bar.h}, t.text_muted, words);
  ui.log("lesson/where", {x, bar.y, ui.px(60), bar.h}, words);
}

void draw_top(Ui& ui, Rect bar, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  ui.fill(bar, t.canvas);
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, t.line);
  draw_dots(ui, bar, model, actions);
  Rect left = bar, right = bar;
  draw_mark(ui, {left.x + ui.px(26), left.middle().y});
  left.take_left(ui.px(48));
  words_at_left(ui, Type::title, left, t.text, "Headlight", 14);
  ui.line({left.x, bar.y + ui.px(14)}, {left.x, bar.bottom() - ui.px(14)}, t.line_strong);
  left.take_left(ui.px(14));
  const Lesson& lesson = *model.learner.played->lesson;
  const auto number = std::ranges::find(lesson_path, lesson.name) - lesson_path.begin();
  words_at_left(ui, Type::control, left, t.text, lesson.title, 10);
  if (bar.w > ui.px(1100) && number < std::ssize(lesson_path))
    words_at_left(ui, Type::label, left, t.text_muted, fmt::format("Lesson {} of {}", number + 1, lesson_path.size()));
  right.take_right(ui.px(12));
  const auto press = [&](const char* path, std::string_view id, const char* label, float width) {
    const Rect place = right.take_right(ui.px(width)).inset(0, (bar.h - ui.px(32)) / 2);
    draw_command(ui, path, place, id, label, model, actions);
    right.take_right(ui.px(8));
  };
  press("lesson/leave", "lesson-leave", "Leave", 84);
  if (bar.w > ui.px(900)) press("lesson/explore", "lesson-explore", "Explore from here", 140);
}

// Parts of the text before the question, or behind it.
void draw_parts(Form& form, const Model& model, std::size_t first, std::size_t end, Terms& terms, Actions& actions) {
  Ui& ui = form.ui;
  const LessonStep& step = lesson_step(model);
  const PlayedStep& played = played_step(model);
  const LessonAnswered* done = answered(model);
  for (std::size_t i = first; i < end; ++i) {
    const LessonPart& part = step.parts[i];
    const PrintedText& text = done && first > 0 && !done->texts.empty() ? done->texts[i] : played.texts[i];
    const float top = form.y;
    float left = form.column.x, width = form.column.w;
    switch (part.kind) {
      case LessonPart::Kind::code:
        form.log_words(fmt::format("lesson/text/{}", i), ui.theme().text, part.words, Type::number, 12);
        continue;
      case LessonPart::Kind::item:
        ui.text(Type::lesson_text, {left, form.y}, ui.theme().text_muted, "•");
        left += ui.px(18);
        width -= ui.px(18);
        break;
      case LessonPart::Kind::paragraph:
      case LessonPart::Kind::heading:
        break;
      default:
        continue;
    }
    const Type type = part.kind == LessonPart::Kind::heading ? Type::lesson_strong : Type::lesson_text;
    form.y += draw_lesson_text(ui, {left, form.y}, width, text, model, actions, true, type, &terms);
    ui.log(fmt::format("lesson/text/{}", i), {left, top, width, form.y - top}, plain_text(text));
    form.y += ui.px(part.kind == LessonPart::Kind::item ? 6 : 14);
  }
}

float draw_text(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const LessonStep& step = lesson_step(model);
  Form form{ui, box.inset(ui.px(text_margin), 0), box.y + ui.px(28)};
  form.log_words("lesson/title", ui.theme().text, step.title, Type::lesson_title, 12);
  Terms terms = glossary_terms("lesson/term", model);
  draw_parts(form, model, 0, step.asked_at, terms, actions);
  draw_term_card(form, model, memory, TermCard::words, actions);
  if (step.ask) draw_lesson_question(form, model, memory, actions);
  if (!awaits_answer(model) && step.ask) draw_parts(form, model, step.asked_at + 1, step.parts.size(), terms, actions);
  if (!terms.pressed.empty()) actions.push_back(ShowTerm{terms.pressed == model.term ? "" : terms.pressed});
  return form.y - box.y + ui.px(20);
}

void draw_bottom(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const bool last = model.learner.step + 1 == model.learner.played->steps.size();
  Rect line = box.inset(ui.px(text_margin), 0).take_top(ui.px(40));
  draw_command(ui, "lesson/back", line.take_left(ui.px(72)), "lesson-back", "Back", model, actions);
  line.take_left(ui.px(8));
  if (answered(model))
    draw_command(ui, "lesson/again", line.take_left(ui.px(72)), "lesson-again", "Again", model, actions);
  const char* words = awaits_answer(model) ? "Skip" : "Go on";
  if (last) words = "Finish";
  draw_command(ui, "lesson/next", line.take_right(ui.px(104)), "lesson-next", words, model, actions,
               awaits_answer(model) ? ButtonLook::secondary : ButtonLook::primary);
  line.take_left(ui.px(8));
  line.take_right(ui.px(8));
  const bool any = has_answers(model.learner);
  if (last && any && line.w >= ui.px(112))
    draw_command(ui, "lesson/save-answers", line.take_left(ui.px(112)), "lesson-save-answers", "Save answers", model,
                 actions, ButtonLook::ghost);
  box.take_top(ui.px(52));
  Rect keys = box.inset(ui.px(text_margin), 0).take_top(ui.px(24));
  const auto key = [&](std::string_view chord, std::string_view does) {
    const float width = width_of_chord(ui, chord);
    draw_chord(ui, keys.take_left(width), chord, ui.theme().text_muted);
    keys.take_left(ui.px(6));
    words_at_left(ui, Type::label, keys, ui.theme().text_muted, does, 16);
  };
  const auto& ask = lesson_step(model).ask;
  if (awaits_answer(model) && ask->kind == AskKind::number)
    key("Enter", "answer");  // blanks go to the field, which is typed into at once
  else
    key("Space", last ? "finish" : "go on");
  key("←", "back");
  key("Esc", "leave");
}

// The file was saved with a mistake: the last good version is shown.
void draw_problem(Ui& ui, Rect& box, const Model& model) {
  if (model.learner.problem.empty()) return;
  Rect card = box.take_top(ui.px(64)).inset(ui.px(12), ui.px(8));
  ui.fill(card, ui.theme().warning_soft, ui.px(8));
  paragraph(ui, {card.x + ui.px(12), card.y + ui.px(6)}, card.w - ui.px(24), ui.theme().text, model.learner.problem,
            true, Type::label);
  ui.log("lesson/problem", card, model.learner.problem);
}

// What was done last, or could not be: in sight however far the text is scrolled, and the text keeps most of the
// height.
void draw_notes(Ui& ui, Rect& box, const Model& model) {
  const float most = box.h / 3;
  float used = 0;
  for (auto notice = model.notices.rbegin(); notice != model.notices.rend(); ++notice) {
    if (notice->level != Notice::Level::note) continue;
    const float width = box.w - 2 * ui.px(text_margin);
    const float height = paragraph(ui, {}, width, ui.theme().text, notice->text, false, Type::body) + ui.px(16);
    if (used > 0 && used + height > most) return;
    used += height;
    const Rect place = box.take_bottom(height).inset(ui.px(text_margin), ui.px(8));
    paragraph(ui, {place.x, place.y}, width, ui.theme().text, notice->text, true, Type::body);
    ui.log("lesson/note", place, notice->text);
  }
}

}  // namespace

void draw_lesson(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  ui.fill(window, ui.theme().canvas);
  Rect rest = window;
  draw_top(ui, rest.take_top(ui.px(48)), model, actions);
  Rect left = rest.take_left(std::min(ui.px(text_width), rest.w * 0.42F));
  ui.fill(left, ui.theme().panel);
  ui.line({left.right() - 1, left.y}, {left.right() - 1, left.bottom()}, ui.theme().line);
  draw_bottom(ui, left.take_bottom(ui.px(92)), model, actions);
  draw_problem(ui, left, model);
  draw_notes(ui, left, model);
  scroll_area(ui, fmt::format("lesson/text-{}", model.learner.step), left,
              [&](Rect inner) { return draw_text(ui, inner, model, memory, actions); });
  take_notices(ui, rest, 24, model, actions);
  {
    const Ui::ExplainScope here(ui);
    draw_lesson_picture(ui, rest, model, memory, actions);
  }
  draw_pointed_card(ui, model, lesson_scene(model).outcome.trace.get(), memory, TermCard::words);
  draw_busy(ui, rest, model);
}

}  // namespace headlight::app
