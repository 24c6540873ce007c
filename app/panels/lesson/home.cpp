// The path of lessons: a card each with what it shows, how long it takes and how far one is.
#include <algorithm>
#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/lesson/parts.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"
#include "engine/core/system/paths.h"
#include "engine/picture/colormap.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

constexpr float card_width = 212, card_height = 176, card_gap = 14, side_width = 304,
                tasks_width = 300;  // px of the design

LessonProgress progress_of(const Model& model, const ListedLesson& lesson) {
  const auto found = model.learner.progress.find(lesson.name);
  return found == model.learner.progress.end() ? LessonProgress{} : found->second;
}

// The first scene of a lesson that has a map.
const LessonScene* scene_with_map(const ListedLesson& lesson) {
  if (!lesson.played) return nullptr;
  for (const auto& step : lesson.played->steps)
    if (step.answered.outcome.trace && step.answered.outcome.trace->map()) return &step.answered;
  return nullptr;
}

// Whether it shows rows as bars anywhere.
bool shows_bars(const Lesson& lesson) {
  return std::ranges::any_of(lesson.steps, [](const LessonStep& step) {
    return std::ranges::any_of(step.parts, [](const LessonPart& part) {
      return std::ranges::any_of(part.lines, [](const LessonLine& line) { return line.text == "part bars"; });
    });
  });
}

std::string short_weight(float weight) {
  const std::string text = fmt::format("{:.2f}", weight);
  return text.starts_with('0') ? text.substr(1) : text;
}

// A row as bars, each with its weight and its key.
void draw_small_bars(Ui& ui, Rect box, const Slice& slice, Index row) {
  const Index count = slice.matrix.columns;
  const float pitch = std::min(ui.px(48), box.w / static_cast<float>(count)), least = ui.px(1);
  const Rect names = box.take_bottom(ui.px(18));
  box.take_top(ui.px(18));
  float x = box.middle().x - pitch * static_cast<float>(count) / 2;
  for (Index key = 0; key < count; ++key, x += pitch) {
    const float weight = std::clamp(slice.matrix.at(row, key), 0.0F, 1.0F), height = std::max(least, box.h * weight);
    const Rect bar{x + ui.px(3), box.bottom() - height, pitch - ui.px(6), height};
    ui.fill(bar, ui.theme().weight.main);
    ui.text_in(Type::number_note, {x, bar.y - ui.px(18), pitch, ui.px(16)}, ui.theme().text, short_weight(weight),
               Ui::Align::center);
    ui.text_in(Type::note, {x, names.y, pitch, names.h}, ui.theme().text,
               ui.fonts().display_text(label_of(slice.columns, key, 0)), Ui::Align::center);
  }
}

// The map of one head, with its numbers where they have room.
void draw_small_map(Ui& ui, Rect room, const ListedLesson& lesson, const LessonScene& scene, Index head) {
  const Step& map = *scene.outcome.trace->map();
  const Focus focus{.head = head, .flat = true};
  const Slice slice = slice_of(map, focus);
  const auto rows = static_cast<float>(slice.matrix.rows), columns = static_cast<float>(slice.matrix.columns);
  const float cell = std::min({room.w / columns, room.h / rows, ui.px(36)});
  const Rect place{room.middle().x - cell * columns / 2, room.middle().y - cell * rows / 2, cell * columns,
                   cell * rows};
  MapData data{.key = fmt::format("lessons/{}/{}", lesson.name, head),
               .numbers = {},
               .cells = {},
               .owner = map.values,
               .range = {}};
  data.cells = cells_of(*scene.outcome.trace, slice, focus, data.owner);
  data.colormap = default_colormap(false, ui.theme().dark);
  data.numbers.what = data.key;
  data.numbers.rows = slice.matrix.rows;
  data.numbers.columns = slice.matrix.columns;
  draw_map(ui, data, place, MapSize::small);
  if (cell < ui.px(28)) return;
  const ColorTable table = color_table(data.colormap);
  for (Index i = 0; i < slice.matrix.rows; ++i)
    for (Index j = 0; j < slice.matrix.columns; ++j) {
      const float weight = data.cells.at(i, j);
      if (!std::isfinite(weight)) continue;
      const Color ground = color_at(table, normalise(weight, data.range));
      ui.text_in(Type::number_small,
                 {place.x + static_cast<float>(j) * cell, place.y + static_cast<float>(i) * cell, cell, cell},
                 color32(readable_text_on(ground)), short_weight(weight), Ui::Align::center);
    }
}

// What it is about: a row as bars, or the maps of its heads.
void draw_thumbnail(Ui& ui, Rect box, const ListedLesson& lesson) {
  ui.fill(box, ui.theme().canvas, ui.px(4));
  const LessonScene* scene = scene_with_map(lesson);
  if (!scene) return;
  const Step& map = *scene->outcome.trace->map();
  const Slice slice = slice_of(map, {.head = scene->document.look.head, .flat = true});
  constexpr Index most_bars = 6, most_maps = 8;
  const bool bars = slice.matrix.columns <= most_bars &&
                    (slice.matrix.rows == 1 || shows_bars(*lesson.played->lesson)) && slice.columns &&
                    has_names(*slice.columns);
  if (bars) {
    const Index row = scene->document.look.selection.query.value_or(slice.matrix.rows - 1);
    return draw_small_bars(ui, box.inset(ui.px(10), ui.px(4)), slice, std::min(row, slice.matrix.rows - 1));
  }
  const Index heads = heads_of(map);
  if (heads < 2 || heads > most_maps)
    return draw_small_map(ui, box.inset(ui.px(10), ui.px(8)), lesson, *scene, scene->document.look.head);
  const Index across = heads > 3 ? (heads + 1) / 2 : heads, down = heads > 3 ? 2 : 1;
  const float w = box.w / static_cast<float>(across), h = box.h / static_cast<float>(down);
  for (Index place = 0; place < heads; ++place)
    draw_small_map(
        ui,
        Rect{box.x + w * static_cast<float>(place % across), box.y + h * static_cast<float>(place / across), w, h}
            .inset(ui.px(3), ui.px(3)),
        lesson, *scene, first_head_at(map, place));
}

void draw_progress(Ui& ui, Rect line, const ListedLesson& lesson, const LessonProgress& progress) {
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

void draw_card(Ui& ui, Rect card, int number, const ListedLesson& lesson, const Model& model, Actions& actions) {
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
void draw_status(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const auto& lessons = model.learner.listed->shipped;
  std::size_t done = 0;
  int left = 0, all = 0;
  const ListedLesson* next = nullptr;
  for (const auto& lesson : lessons) {
    const LessonProgress progress = progress_of(model, lesson);
    done += progress.done ? 1 : 0;
    all += lesson.minutes;
    left += progress.done ? 0 : lesson.minutes;
    if (!progress.done && (!next || (progress.of > 0 && progress_of(model, *next).of == 0))) next = &lesson;
  }
  form.heading("Where you are");
  form.log_words("lessons/where", t.text_muted,
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

void draw_own_lessons(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto& own = model.learner.listed->own;
  const std::string folder = own.empty() ? "" : utf8(model.learner.listed->folder.filename());
  ui.text_in(Type::note, {form.column.x + form.column.w / 2, form.y, form.column.w / 2, ui.px(16)},
             ui.theme().text_muted, ui.fitted(Type::note, folder, form.column.w / 2), Ui::Align::right);
  form.heading("Your folder");
  if (own.empty())
    form.words(ui.theme().text_muted,
               "Lessons (.lesson.md) that lie beside the experiment that is open stand here. A lesson is one text "
               "file; its numbers are computed, and checked when it is opened.",
               Type::label, 10);
  draw_command(ui, "lessons/new", form.line(32, 12).take_left(ui.px(150)), "lesson-new", "Write your own", model,
               actions);
  for (const auto& lesson : own) {
    const bool good = lesson.mistake.empty();
    const std::string says = good ? lesson.title + ": every number holds" : lesson.mistake;
    const float width = form.column.w - ui.px(34);
    const float height = paragraph(ui, {}, width, 0, says, false, Type::note);
    Rect line = form.line((height + ui.px(26)) / ui.scale(), 4);
    const std::string path = "lessons/own/" + lesson.name;
    const auto hit = ui.hit(path, line, true, lesson.title);
    ui.fill(line, control_ground(ui, hit, ui.theme().panel), ui.px(6));
    line = line.inset(ui.px(4), ui.px(3));
    const Rect mark = line.take_left(ui.px(22)).take_top(ui.px(18));
    draw_icon(ui, good ? Icon::check : Icon::warning, mark.middle(), good ? ui.theme().ok : ui.theme().warning);
    ui.text_in(Type::label_strong, line.take_top(ui.px(18)), ui.theme().text, utf8(lesson.path.filename()));
    paragraph(ui, {line.x, line.y}, width, good ? ui.theme().text_muted : ui.theme().warning, says, true, Type::note);
    if (hit.clicked) actions.push_back(OpenLesson{lesson.path});
  }
}

// At the foot: what the window opens with the next time.
void draw_start_row(Ui& ui, Rect box, const Model& model, Actions& actions) {
  ui.line({box.x, box.y}, {box.right(), box.y}, ui.theme().line);
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(8)};
  const std::vector<std::string> titles(start_titles.begin(), start_titles.end());
  const int chosen =
      drop_down(ui, "lessons/start", form.row("Start with"), titles, static_cast<int>(model.settings.start));
  if (chosen >= 0) actions.push_back(SetStart{static_cast<StartWith>(chosen)});
  form.words(ui.theme().text_muted,
             "What the window opens with when no file is named. The very first time it is lesson 1.", Type::note, 4);
}

float draw_side(Ui& ui, Rect box, const Model& model, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  draw_learn_switch(ui, form.line(32, 22), model, actions);
  draw_status(form, model, actions);
  form.divider(box.x, box.w);
  draw_own_lessons(form, model, actions);
  return form.y - box.y + ui.px(16);
}

// What leads from one card to the next: across, or round to the row below.
void draw_connector(Ui& ui, Rect from, Rect to) {
  const Color32 color = ui.theme().line_strong;
  const float width = ui.px(2);
  if (to.y == from.y) return ui.line({from.right(), from.middle().y}, {to.x, to.middle().y}, color, width);
  const float x = from.middle().x, end = to.middle().x, y = from.bottom() + ui.px(12);
  ui.line({x, from.bottom()}, {x, y}, color, width);
  ui.line({x, y}, {end, y}, color, width);
  ui.line({end, y}, {end, to.y}, color, width);
}

// Behind the last lesson: one's own.
void draw_write_your_own(Ui& ui, Rect card, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const CommandOf& write = command_named("lesson-new");
  const std::string why = why_not(write, model);
  const auto hit = ui.hit("lessons/write", card, why.empty(), "Write your own", why.empty() ? "" : "disabled");
  ui.fill(card, control_ground(ui, hit, t.canvas), ui.px(8));
  ui.frame(card, t.line, ui.px(8), ui.px(2));
  const Point middle = card.middle();
  const Color32 color = why.empty() ? t.text : t.text_faint;
  const float arm = ui.px(10);
  ui.line({middle.x - arm, middle.y - ui.px(34)}, {middle.x + arm, middle.y - ui.px(34)}, color, ui.px(2));
  ui.line({middle.x, middle.y - ui.px(34) - arm}, {middle.x, middle.y - ui.px(34) + arm}, color, ui.px(2));
  ui.text_in(Type::label_strong, {card.x, middle.y, card.w, ui.px(22)}, color, "Write your own", Ui::Align::center);
  ui.text_in(Type::note, {card.x, middle.y + ui.px(24), card.w, ui.px(20)}, t.text_muted,
             "one text file, shown as you save it", Ui::Align::center);
  if (hit.focused) ui.focus_ring(card, ui.px(8));
  if (!why.empty()) ui.tooltip("lessons/write", card, why);
  if (hit.clicked && why.empty()) actions.push_back(write.command->action(model));
}

void draw_class_card(Ui& ui, Rect card) {
  const Theme& t = ui.theme();
  ui.fill(card, t.panel, ui.px(8));
  ui.frame(card, t.line, ui.px(8));
  Rect inside = card.inset(ui.px(18), ui.px(16));
  ui.text_in(Type::body_strong, inside.take_top(ui.px(28)), t.text, "A lesson in class");
  const std::pair<const char*, const char*> lines[] = {{"F5", "present it: large type, questions to the class"},
                                                       {"Ctrl P", "print it, with the answers on pages of their own"},
                                                       {"Space", "go on, ← back: all of it by keyboard"}};
  for (const auto& [key, does] : lines) {
    Rect line = inside.take_top(ui.px(36));
    draw_chord(ui, line.take_left(ui.px(72)), key, t.text);
    if (ui.width_of(Type::label, does) <= line.w) ui.text_in(Type::label, line, t.text, does);
  }
}

// Of the list: a line each.
void draw_list_row(Form& form, int number, const ListedLesson& lesson, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const LessonProgress progress = progress_of(model, lesson);
  Rect line = form.line(36, 2);
  const std::string path = "lessons/" + lesson.name;
  const auto hit = ui.hit(path, line, true, lesson.title, lesson.mistake.empty() ? "" : "disabled");
  ui.fill(line, control_ground(ui, hit, t.canvas), ui.px(6));
  if (hit.focused) ui.focus_ring(line, ui.px(6));
  line = line.inset(ui.px(8), 0);
  ui.text_in(Type::number_note, line.take_left(ui.px(28)), t.text_muted, std::to_string(number));
  ui.text_in(Type::label_strong, line.take_left(std::min(ui.px(220), line.w)), t.text, lesson.title);
  ui.text_in(Type::control, line.take_left(ui.px(24)), t.ok, progress.done ? "✓" : "");
  if (lesson.mistake.empty())
    draw_progress(ui, line.take_left(std::min(ui.px(220), line.w)), lesson, progress);
  else
    ui.text_in(Type::note, line, t.warning, ui.fitted(Type::note, lesson.mistake, line.w));
  if (hit.clicked) actions.push_back(OpenLesson{lesson.path});
}

// How the lessons stand: as cards on a path, or a line each.
struct HomeMemory {
  bool as_list = false;
};

float draw_path(Ui& ui, Rect box, const Model& model, HomeMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(24), 0), box.y + ui.px(14)};
  Rect head = form.line(32, 10);
  const int chosen = segments(ui, "lessons/view", head.take_right(ui.px(124)),
                              {{"path", "Path", ""}, {"list", "List", ""}}, memory.as_list ? 1 : 0);
  if (chosen >= 0) memory.as_list = chosen == 1;
  words_at_left(ui, Type::title, head, ui.theme().text, "Lessons", 12);
  ui.text_in(Type::label, head, ui.theme().text_muted,
             model.learner.opening ? "opening the lesson; Esc stops"
                                   : "each ten minutes or less; numbers first, then the idea");
  const auto& lessons = model.learner.listed->shipped;
  std::optional<Rect> before;
  Flow flow;
  for (std::size_t group = 0; group < lesson_groups.size(); ++group) {
    const std::size_t first = lesson_groups[group].first,
                      end = group + 1 < lesson_groups.size() ? lesson_groups[group + 1].first : lesson_path.size();
    std::vector<std::pair<int, const ListedLesson*>> of;
    for (const auto& lesson : lessons) {
      const auto at = static_cast<std::size_t>(std::ranges::find(lesson_path, lesson.name) - lesson_path.begin());
      if (at >= first && at < end) of.emplace_back(static_cast<int>(at) + 1, &lesson);
    }
    if (of.empty()) continue;
    form.heading(lesson_groups[group].title);
    if (memory.as_list) {
      for (const auto& [number, lesson] : of) draw_list_row(form, number, *lesson, model, actions);
      form.y += ui.px(12);
      continue;
    }
    flow = {.box = {form.column.x, form.y, form.column.w, 0},
            .height = ui.px(card_height),
            .gap = ui.px(card_gap),
            .between = ui.px(24)};
    for (const auto& [number, lesson] : of) {
      const Rect card = flow.next(ui.px(card_width));
      if (before) draw_connector(ui, *before, card);
      before = card;
      draw_card(ui, card, number, *lesson, model, actions);
    }
    form.y = flow.bottom() + ui.px(18);
  }
  if (!before) return form.y - box.y;
  draw_write_your_own(ui, flow.next(ui.px(card_width)), model, actions);
  draw_class_card(ui, flow.next(ui.px(2 * card_width + card_gap)));
  return flow.bottom() + ui.px(18) - box.y;
}

}  // namespace

void draw_learn_switch(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const int chosen = segments(ui, "learn/room", box, {{"lessons", "Lessons", ""}, {"train", "Train", ""}},
                              model.screen == Screen::lessons ? 0 : 1);
  if (chosen >= 0) actions.push_back(ShowScreen{chosen == 0 ? Screen::lessons : Screen::train});
}

void draw_lessons(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  ui.fill(box, ui.theme().canvas);
  const bool narrow = box.w < ui.px(760);
  Rect side = narrow ? box.take_top(ui.px(64)) : box.take_left(ui.px(side_width));
  ui.fill(side, ui.theme().panel);
  const float four = 4 * card_width + 3 * card_gap + 48;  // with what lies beside them
  const bool wide = !narrow && box.w > ui.px(four + tasks_width);
  const Rect beside = wide ? box.take_right(box.w - ui.px(four)) : Rect{};
  if (!narrow) ui.line({side.right() - 1, side.y}, {side.right() - 1, side.bottom()}, ui.theme().line);
  take_notices(ui, box, 24, model, actions);
  if (!model.learner.listed) {
    draw_learn_switch(ui, side.inset(ui.px(16), ui.px(16)).take_top(ui.px(32)), model, actions);
    return draw_centered_note(ui, box, "Reading the lessons…");
  }
  if (narrow) {
    draw_learn_switch(ui, side.inset(ui.px(16), ui.px(16)), model, actions);
  } else {
    draw_start_row(ui, side.take_bottom(ui.px(92)), model, actions);
    scroll_area(ui, "lessons/side", side, [&](Rect inner) { return draw_side(ui, inner, model, actions); });
  }
  if (wide) {
    ui.fill(beside, ui.theme().panel);
    ui.line({beside.x, beside.y}, {beside.x, beside.bottom()}, ui.theme().line);
    scroll_area(ui, "lessons/tasks", beside,
                [&](Rect inner) { return draw_task_column(ui, inner, model, memory, actions); });
  }
  scroll_area(ui, "lessons/path", box,
              [&](Rect inner) { return draw_path(ui, inner, model, memory.get<HomeMemory>(), actions); });
}

}  // namespace headlight::app
