// The path of lessons: a card each with what it shows, how long it takes and how far one is.
#include <algorithm>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/lesson/parts.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr float card_width = 212, card_height = 176, card_gap = 20, side_width = 304;  // px of the design

LessonProgress progress_of(const Model& model, const LessonListed& lesson) {
  const auto found = model.learner.progress.find(lesson.name);
  return found == model.learner.progress.end() ? LessonProgress{} : found->second;
}

// The first scene of a lesson that shows a map of pairs, as a small map.
void draw_thumbnail(Ui& ui, Rect box, const LessonListed& lesson) {
  ui.fill(box, ui.theme().canvas, ui.px(4));
  if (!lesson.played) return;
  for (const auto& step : lesson.played->steps) {
    const LessonScene& scene = step.answered;
    const Step* map = scene.outcome.trace ? scene.outcome.trace->map() : nullptr;
    if (!map) continue;
    const Focus focus{.head = scene.document.look.head, .flat = true};
    const Slice slice = slice_of(*map, focus);
    const Rect room = box.inset(ui.px(10), ui.px(8));
    const float cell =
        std::min(room.w / static_cast<float>(slice.matrix.columns), room.h / static_cast<float>(slice.matrix.rows));
    const Rect place{room.middle().x - cell * static_cast<float>(slice.matrix.columns) / 2, room.y,
                     cell * static_cast<float>(slice.matrix.columns), cell * static_cast<float>(slice.matrix.rows)};
    MapData data{.key = "lessons/" + lesson.name, .numbers = {}, .cells = {}, .owner = map->values, .range = {}};
    data.cells = cells_of(*scene.outcome.trace, slice, focus, data.owner);
    data.colormap = default_colormap(false, ui.theme().dark);
    data.numbers.what = "lessons/" + lesson.name;
    data.numbers.rows = slice.matrix.rows;
    data.numbers.columns = slice.matrix.columns;
    draw_map(ui, data, place, MapSize::small);
    return;
  }
}

void draw_progress(Ui& ui, Rect line, const LessonListed& lesson, const LessonProgress& progress) {
  const Theme& t = ui.theme();
  if (lesson.minutes > 0) words_at_right(ui, Type::label, line, t.text_muted, fmt::format("{} min", lesson.minutes), 8);
  float x = line.x;
  for (std::size_t i = 0; i < lesson.steps && x + ui.px(9) < line.right(); ++i) {
    const bool now = progress.of > 0 && !progress.done && i == progress.step, done = progress.done || i < progress.step;
    const float size = ui.px(now ? 9 : 7);
    const Rect dot{x, line.middle().y - size / 2, size, size};
    if (now || done) ui.fill(dot, now ? t.brand : t.text, size / 2);
    ui.frame(dot, now || done ? t.text : t.line_strong, size / 2);
    x += ui.px(13);
  }
}

void draw_card(Ui& ui, Rect card, int number, const LessonListed& lesson, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const LessonProgress progress = progress_of(model, lesson);
  const bool current = progress.of > 0 && !progress.done;
  const std::string path = "lessons/" + lesson.name;
  const auto hit = ui.hit(path, card, true, lesson.title, lesson.mistake.empty() ? "" : "disabled");
  ui.fill(card, control_ground(ui, hit, t.canvas), ui.px(8));
  Rect inside = card.inset(ui.px(12), ui.px(10));
  Rect foot = inside.take_bottom(ui.px(48));
  if (current)
    ui.fill({card.x + 1, foot.y - ui.px(4), card.w - 2, card.bottom() - foot.y + ui.px(3)}, t.brand_soft, ui.px(7));
  draw_thumbnail(ui, inside, lesson);
  ui.frame(card, current ? t.text : t.line_strong, ui.px(8), current ? ui.px(2) : 1);
  Rect title = foot.take_top(ui.px(24));
  if (number > 0) words_at_left(ui, Type::number_note, title, t.text_muted, std::to_string(number), 8);
  if (progress.done) {
    ui.text_in(Type::control, title, t.ok, "✓", Ui::Align::right);
    title.take_right(ui.px(18));
  }
  ui.text_in(Type::label_strong, title, t.text, lesson.title);
  if (lesson.mistake.empty())
    draw_progress(ui, foot, lesson, progress);
  else
    ui.text_in(Type::note, foot, t.warning, lesson.mistake);
  if (hit.focused) ui.focus_ring(card, ui.px(8));
  if (hit.clicked) actions.push_back(OpenLesson{lesson.path});
  ui.tooltip(path, card, lesson.mistake.empty() ? lesson.title : lesson.mistake);
}

// Where one is, and the way on.
void draw_where(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const auto& lessons = model.learner.listed->shipped;
  std::size_t done = 0;
  int left = 0, all = 0;
  const LessonListed* next = nullptr;
  for (const auto& lesson : lessons) {
    const LessonProgress progress = progress_of(model, lesson);
    done += progress.done ? 1 : 0;
    all += lesson.minutes;
    left += progress.done ? 0 : lesson.minutes;
    if (!progress.done && (!next || (progress.of > 0 && progress_of(model, *next).of == 0))) next = &lesson;
  }
  form.heading("Where you are");
  form.told("lessons/where", t.text_muted,
            fmt::format("{} of {} done, {} of {} minutes left", done, lessons.size(), left, all), Type::label, 12);
  if (!next) return;
  const LessonProgress progress = progress_of(model, *next);
  Rect card = form.line(104, 18);
  ui.fill(card, t.brand_soft, ui.px(8));
  ui.frame(card, t.text, ui.px(8), ui.px(2));
  card = card.inset(ui.px(14), ui.px(10));
  std::string far = next->minutes > 0 ? fmt::format("{} minutes", next->minutes) : "";
  if (progress.of > 0) far = fmt::format("step {} of {}", progress.step + 1, progress.of);
  ui.text_in(Type::note, card.take_top(ui.px(18)), t.brand_text, far);
  ui.text_in(Type::body_strong, card.take_top(ui.px(24)), t.text, next->title);
  card.take_top(ui.px(6));
  if (button(ui, "lessons/go-on", card.take_top(ui.px(34)).take_left(ui.px(96)), progress.of > 0 ? "Go on" : "Begin",
             ButtonLook::primary))
    actions.push_back(OpenLesson{next->path});
}

void draw_own(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  form.heading("Your folder");
  const auto& own = model.learner.listed->own;
  if (own.empty())
    form.words(ui.theme().text_muted,
               "Lessons (.lesson.md) that lie beside the experiment that is open stand here. A lesson is one text "
               "file; its numbers are computed, and checked when it is opened.",
               Type::label, 10);
  draw_command(ui, "lessons/new", form.line(32, 12).take_left(ui.px(150)), "lesson-new", "Write your own", model,
               actions);
  for (const auto& lesson : own) {
    Rect line = form.line(44, 4);
    const std::string path = "lessons/own/" + lesson.name;
    const auto hit = ui.hit(path, line, true, lesson.title);
    ui.fill(line, control_ground(ui, hit, ui.theme().panel), ui.px(6));
    line = line.inset(ui.px(8), ui.px(3));
    ui.text_in(Type::label_strong, line.take_top(ui.px(18)), ui.theme().text, lesson.title);
    const bool good = lesson.mistake.empty();
    ui.text_in(Type::note, line, good ? ui.theme().text_muted : ui.theme().warning,
               good ? "every number holds" : lesson.mistake);
    ui.tooltip(path, line, lesson.mistake);
    if (hit.clicked) actions.push_back(OpenLesson{lesson.path});
  }
}

float draw_side(Ui& ui, Rect box, const Model& model, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  draw_learn_switch(ui, form.line(32, 22), model, actions);
  draw_where(form, model, actions);
  form.divider(box.x, box.w);
  draw_own(form, model, actions);
  return form.y - box.y + ui.px(16);
}

float draw_path(Ui& ui, Rect box, const Model& model, Actions& actions) {
  Form form{ui, box.inset(ui.px(24), 0), box.y + ui.px(14)};
  Rect head = form.line(32, 10);
  words_at_left(ui, Type::title, head, ui.theme().text, "Lessons", 12);
  ui.text_in(Type::label, head, ui.theme().text_muted,
             model.learner.opening ? "opening the lesson; Esc stops"
                                   : "each ten minutes or less; numbers first, then the idea");
  const auto& lessons = model.learner.listed->shipped;
  for (std::size_t group = 0; group < lesson_groups.size(); ++group) {
    const std::size_t first = lesson_groups[group].first,
                      end = group + 1 < lesson_groups.size() ? lesson_groups[group + 1].first : lesson_path.size();
    std::vector<std::pair<int, const LessonListed*>> of;
    for (const auto& lesson : lessons) {
      const auto at = static_cast<std::size_t>(std::ranges::find(lesson_path, lesson.name) - lesson_path.begin());
      if (at >= first && at < end) of.emplace_back(static_cast<int>(at) + 1, &lesson);
    }
    if (of.empty()) continue;
    form.heading(lesson_groups[group].title);
    Flow flow{.box = {form.column.x, form.y, form.column.w, 0},
              .height = ui.px(card_height),
              .gap = ui.px(card_gap),
              .between = ui.px(16)};
    for (const auto& [number, lesson] : of)
      draw_card(ui, flow.next(ui.px(card_width)), number, *lesson, model, actions);
    form.y = flow.bottom() + ui.px(18);
  }
  return form.y - box.y;
}

}  // namespace

void draw_learn_switch(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const int chosen = segments(ui, "learn/room", box, {{"lessons", "Lessons", ""}, {"train", "Train", ""}},
                              model.screen == Screen::lessons ? 0 : 1);
  if (chosen >= 0) actions.push_back(ShowScreen{chosen == 0 ? Screen::lessons : Screen::train});
}

void draw_lessons(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  (void)memory;
  ui.fill(box, ui.theme().canvas);
  const bool narrow = box.w < ui.px(760);
  Rect side = narrow ? box.take_top(ui.px(64)) : box.take_left(ui.px(side_width));
  ui.fill(side, ui.theme().panel);
  if (!narrow) ui.line({side.right() - 1, side.y}, {side.right() - 1, side.bottom()}, ui.theme().line);
  if (!model.learner.listed) {
    draw_learn_switch(ui, side.inset(ui.px(16), ui.px(16)).take_top(ui.px(32)), model, actions);
    return say_in_the_middle(ui, box, "Reading the lessons…");
  }
  if (narrow)
    draw_learn_switch(ui, side.inset(ui.px(16), ui.px(16)), model, actions);
  else
    scroll_area(ui, "lessons/side", side, [&](Rect inner) { return draw_side(ui, inner, model, actions); });
  scroll_area(ui, "lessons/path", box, [&](Rect inner) { return draw_path(ui, inner, model, actions); });
}

}  // namespace headlight::app
