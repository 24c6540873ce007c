// The question of a step: its answers to choose from or to type, and afterwards what was said beside what is so.
#include <algorithm>
#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/lesson/parts.h"

namespace headlight::app {

void dashed_frame(Ui& ui, Rect box, Color32 color) {
  const float dash = ui.px(6), step = ui.px(10);
  const auto along = [&](float length, const auto& draw) {
    for (float at = 0; at < length; at += step) draw(at, std::min(dash, length - at));
  };
  along(box.w, [&](float at, float size) {
    ui.fill({box.x + at, box.y, size, ui.px(1.5F)}, color);
    ui.fill({box.x + at, box.bottom() - ui.px(1.5F), size, ui.px(1.5F)}, color);
  });
  along(box.h, [&](float at, float size) {
    ui.fill({box.x, box.y + at, ui.px(1.5F), size}, color);
    ui.fill({box.right() - ui.px(1.5F), box.y + at, ui.px(1.5F), size}, color);
  });
}

namespace {

constexpr float card_radius = 8, inside = 16;

const LessonQuestion& question_of(const Model& model) {
  return *model.learner.played->lesson->steps[model.learner.step].ask;
}

// Of an answer by its kind: what a weight is, is violet, a score magenta.
RoleColors colors_of_answer(const Ui& ui, const Model& model) {
  const Step* step = played_step(model).asked.outcome.trace->find(played_step(model).asked.document.look.step);
  const Role role = step ? step->info.role : Role::none;
  return role_colors(ui.theme(), role == Role::none ? Role::output : role);
}

void push_answer(std::string text, Actions& actions) {
  actions.push_back(AnswerLesson{std::move(text)});
}

// ---- What was said, beside what is so

// `role`: of what is so, and not what somebody said.
void draw_answer_box(Ui& ui, Rect box, std::string_view caption, const std::string& words, const RoleColors* role,
                     bool right = false) {
  const Theme& t = ui.theme();
  if (role) {
    ui.fill(box, role->soft, ui.px(6));
    ui.frame(box, role->main, ui.px(6), ui.px(1.5F));
  } else {
    dashed_frame(ui, box, t.line_strong);
  }
  Rect text = box.inset(ui.px(12), ui.px(8));
  Rect line = text.take_top(ui.px(18));
  ui.text_in(Type::label, line, role ? role->main : t.text_muted, caption);
  if (right) ui.text_in(Type::label_strong, line, t.ok, "right", Ui::Align::right);
  if (ui.width_of(Type::lesson_number, words) <= text.w)
    ui.text_in(Type::lesson_number, text, role ? role->main : t.text_muted, words);
  else
    paragraph(ui, {text.x, text.y + ui.px(4)}, text.w, role ? role->main : t.text_muted, words, true,
              Type::body_strong);
}

void draw_reply(Form& form, const PrintedText& words, const std::string& path, const Model& model, Actions& actions,
                Type type = Type::lesson_text, float gap = 6) {
  Ui& ui = form.ui;
  const float top = form.y;
  form.y +=
      draw_lesson_text(ui, {form.column.x, form.y}, form.column.w, words, model, actions, true, type) + ui.px(gap);
  ui.log(path, {form.column.x, top, form.column.w, form.y - top}, plain_text(words));
}

void draw_correction(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const LessonQuestion& question = question_of(model);
  const LessonAnswered& answer = *answered(model);
  const Value truth = right_answer(question, *played_step(model).truth);
  if (question.kind != AskKind::deed) {
    const RoleColors role = colors_of_answer(ui, model);
    const std::string said = answer.given_up ? "–" : answer_in_words(question, answer.value),
                      is = answer_in_words(question, truth);
    float words = ui.px(36);  // of the higher of the two
    const float room = (form.column.w - ui.px(10)) / 2 - ui.px(24);
    for (const std::string& one : {said, is})
      if (ui.width_of(Type::lesson_number, one) > room)
        words = std::max(words, paragraph(ui, {}, room, 0, one, false, Type::body_strong) + ui.px(8));
    Rect line = form.line((words + ui.px(34)) / ui.scale(), 14);
    const Rect right = line.take_right((line.w - ui.px(10)) / 2);
    line.take_right(ui.px(10));
    draw_answer_box(ui, line, "you said", said, nullptr, answer.right);
    draw_answer_box(ui, right, "it is", is, &role);
    ui.log("lesson/said", line, said);
    ui.log("lesson/truth", right, is, answer.right ? "right" : "");
  } else {
    form.log_words("lesson/done", ui.theme().ok, answer.given_up ? "This is one way to do it." : "Done.",
                   Type::body_strong, 8);
  }
  if (!answer.reply.empty()) draw_reply(form, answer.reply, "lesson/reply", model, actions);
  const auto& because = answer.because ? answer.because : played_step(model).question.because;
  if (because) draw_reply(form, *because, "lesson/because", model, actions);
}

// ---- Answers to give

void draw_number_field(Form& form, AnswerMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  Rect line = form.line(36, 8);
  const Rect enter = line.take_right(ui.px(92));
  line.take_right(ui.px(8));
  if (!memory.began) focus_text_field(ui, "lesson/number");  // a number is typed at once
  memory.began = true;
  const FieldResult typed =
      text_field(ui, "lesson/number", line, memory.typed, false, "a number", {.keeps_on_enter = true});
  std::erase(memory.typed, ' ');
  const bool pressed = button(ui, "lesson/answer", enter, "Answer", ButtonLook::primary, {}, !memory.typed.empty());
  if ((pressed || typed.entered) && !memory.typed.empty()) push_answer(memory.typed, actions);
}

void draw_choices(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto& options = played_step(model).question.options;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const float text_left = ui.px(44), width = form.column.w - text_left - ui.px(8);
    const float height = draw_lesson_text(ui, {}, width, options[i], model, actions, false);
    const Rect row{form.column.x, form.y, form.column.w, height + ui.px(14)};
    const std::string letter(1, static_cast<char>('A' + i));
    const auto hit = ui.hit("lesson/option/" + letter, row, true, plain_text(options[i]));
    ui.fill(row, control_ground(ui, hit, ui.theme().canvas), ui.px(6));
    ui.frame(row, ui.theme().line_strong, ui.px(6));
    ui.text_in(Type::lesson_strong, {row.x + ui.px(14), row.y, ui.px(24), row.h}, ui.theme().text_muted, letter);
    draw_lesson_text(ui, {row.x + text_left, row.y + ui.px(7)}, width, options[i], model, actions);
    if (hit.focused) ui.focus_ring(row, ui.px(6));
    if (hit.clicked) push_answer(letter, actions);
    form.y += row.h + ui.px(6);
  }
}

void draw_tokens(Form& form, const Axis& axis, const std::vector<Index>& chosen, const char* path,
                 const std::function<void(Index)>& choose) {
  Ui& ui = form.ui;
  Flow flow{
      .box = {form.column.x, form.y, form.column.w, 0}, .height = ui.px(32), .gap = ui.px(6), .between = ui.px(6)};
  for (Index i = 0; i < axis.size; ++i) {
    const std::string words = ui.fonts().display_text(label_of_place({axis, {i}}));
    const Rect place = flow.next(ui.width_of(Type::control, words) + ui.px(24));
    const auto at = std::ranges::find(chosen, i);
    const bool enabled = at == chosen.end();
    if (button(ui, fmt::format("{}/{}", path, i), place, words, ButtonLook::secondary, {}, enabled)) choose(i);
  }
  form.y = flow.bottom() + ui.px(10);
}

void draw_order(Form& form, const LessonTruth& truth, AnswerMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  std::string words;
  for (const Index at : memory.order) words += (words.empty() ? "" : " · ") + label_of_place({truth.items, {at}});
  form.log_words("lesson/order", ui.theme().text_muted, words.empty() ? "Press them in their order." : words,
                 Type::body, 8);
  draw_tokens(form, truth.items, memory.order, "lesson/item", [&](Index at) { memory.order.push_back(at); });
  if (memory.order.size() == truth.by.size()) {
    std::string said;
    for (const Index at : memory.order) said += "\"" + label_of_place({truth.items, {at}}) + "\" ";
    memory.order.clear();
    push_answer(said, actions);
  } else if (!memory.order.empty() && button(ui, "lesson/order-again", form.line(32, 6), "Begin again")) {
    memory.order.clear();
  }
}

// Bars that are drawn up and down.
void draw_sketch(Form& form, const LessonTruth& truth, AnswerMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const auto& array = std::get<NumberArray>(truth.value);
  const std::size_t count = array.numbers.size();
  memory.bars.resize(count, 0);
  const double highest = std::max(1.0, *std::ranges::max_element(array.numbers));
  Rect room = form.line(130, 4);
  const float width = room.w / static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Rect column{room.x + width * static_cast<float>(i), room.y, width, room.h};
    Rect bar = column.inset(width * 0.15F, 0);
    const auto hit = ui.hit(fmt::format("lesson/bar/{}", i), column, true, fmt::format("{:.2f}", memory.bars[i]));
    ui.fill(bar, ui.theme().sunken, ui.px(3));
    if (hit.held || hit.clicked)
      memory.bars[i] =
          std::round(100 * highest * std::clamp<double>((column.bottom() - ui.mouse().y) / column.h, 0, 1)) / 100;
    const float height = column.h * static_cast<float>(memory.bars[i] / highest);
    ui.fill(bar.take_bottom(height), ui.theme().weight.main, ui.px(3));
    ui.text_in(Type::number_small, {column.x, column.y, column.w, ui.px(16)}, ui.theme().text,
               fmt::format("{:.2f}", memory.bars[i]), Ui::Align::center);
  }
  Rect labels = form.line(18, 8);
  for (std::size_t i = 0; i < count; ++i)
    ui.text_in(Type::note, labels.take_left(width), ui.theme().text_muted,
               ui.fonts().display_text(label_of_place({array.axes[0].axis, {array.axes[0].positions[i]}})),
               Ui::Align::center);
  if (button(ui, "lesson/answer", form.line(36, 8), "Answer", ButtonLook::primary)) {
    std::string said;
    for (const double bar : memory.bars) said += fmt::format("{:.2f} ", bar);
    push_answer(said, actions);
  }
}

void draw_answers(Form& form, const Model& model, PanelMemory& panels, Actions& actions) {
  const LessonQuestion& question = question_of(model);
  const LessonTruth& truth = *played_step(model).truth;
  AnswerMemory& memory = answer_memory(model, panels);
  switch (question.kind) {
    case AskKind::number:
      return draw_number_field(form, memory, actions);
    case AskKind::choice:
      return draw_choices(form, model, actions);
    case AskKind::order:
      return draw_order(form, truth, memory, actions);
    case AskKind::drag:
      return draw_sketch(form, truth, memory, actions);
    case AskKind::token: {
      const Axis& axis = std::get<AxisPlaces>(truth.value)[0].axis;
      return draw_tokens(form, axis, {}, "lesson/token", [&](Index at) { push_answer(std::to_string(at), actions); });
    }
    case AskKind::cell:
      return form.log_words("lesson/cell", form.ui.theme().text_muted, "Click the cell in the map.", Type::body, 8);
    case AskKind::deed:
      return draw_lesson_controls(form, model, panels, actions);
  }
}

void draw_help(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto& hints = played_step(model).question.hints;
  for (std::size_t i = 0; i < std::min(model.learner.hints, hints.size()); ++i)
    draw_reply(form, hints[i], fmt::format("lesson/hint/{}", i), model, actions, Type::body, 8);
  // As wide as their words, the first of which begin where the form does.
  Rect line = form.line(32, 4).inset(ui.px(-12), 0);
  const auto offer = [&](const char* path, const char* command, const char* words) {
    const float width = ui.width_of(Type::control, words) + ui.px(24);
    draw_command(ui, path, line.take_left(width), command, words, model, actions, ButtonLook::ghost);
  };
  if (model.learner.hints < hints.size()) offer("lesson/hint", "lesson-hint", "Hint");
  offer("lesson/solve", "lesson-solution",
        question_of(model).kind == AskKind::deed ? "Show one way" : "Show the answer");
}

}  // namespace

AnswerMemory& answer_memory(const Model& model, PanelMemory& memory) {
  auto& kept = memory.get<AnswerMemory>();
  const PlayedStep* now = &played_step(model);
  if (kept.of != now) {
    kept = {};
    kept.of = now;
  }
  return kept;
}

void draw_lesson_question(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const PlayedStep& step = played_step(model);
  // The card is as high as what stands in it was in the last frame.
  float& height = ui.memory().scroll["lesson/card-height"];
  const Rect card{form.column.x, form.y, form.column.w, std::max(height, ui.px(80))};
  ui.fill(card, t.canvas, ui.px(card_radius));
  ui.frame(card, t.line_strong, ui.px(card_radius));
  Form within{ui, card.inset(ui.px(inside), 0), card.y + ui.px(inside)};
  PrintedText bold = step.question.question;
  for (auto& piece : bold) piece.strong = true;
  draw_reply(within, bold, "lesson/question", model, actions, Type::lesson_text, 12);
  if (!step.truth) {
    within.log_words("lesson/wrong", t.warning, "This question has a mistake: headlight lesson check says which.",
                     Type::body, 8);
  } else if (awaits_answer(model)) {
    if (const auto& reply = model.learner.reply) draw_reply(within, *reply, "lesson/reply", model, actions);
    draw_answers(within, model, memory, actions);
    draw_help(within, model, actions);
  } else {
    draw_correction(within, model, actions);
    if (question_of(model).kind == AskKind::deed) draw_lesson_controls(within, model, memory, actions);
  }
  const float now = within.y + ui.px(inside - 4) - card.y;
  if (std::abs(now - height) > 0.5F) ui.redraw_at(ui.now());
  height = now;
  form.y = card.y + now + ui.px(18);
}

}  // namespace headlight::app
