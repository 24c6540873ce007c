// The bars of the presenter: what is presented, how far it goes on, how much time is left; the keys, and what comes
// next.
#include <imgui.h>

#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/present/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// Dots for the experiments: those before, the one that is shown, those that come. A click goes there.
void draw_progress(Ui& ui, Rect& bar, const Presenter& present, Actions& actions) {
  const Theme& t = ui.theme();
  const std::size_t count = present.slides.size();
  if (count < 2) return;
  words_at_right(ui, Type::presenter_number, bar, t.text, fmt::format("{} / {}", present.at + 1, count), 34);
  const float pitch = std::min(ui.px(52), bar.w * 0.45F / static_cast<float>(count));
  if (pitch < ui.px(20)) return;  // too many to be told apart
  const Rect dots = bar.take_right(pitch * static_cast<float>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Rect place{dots.x + pitch * static_cast<float>(i), dots.y, pitch, dots.h};
    const bool now = i == present.at;
    const auto hit =
        ui.hit(fmt::format("present/experiment/{}", i), place, false, present.slides[i].name, now ? "selected" : "");
    if (hit.clicked) actions.push_back(MoveExperiment{static_cast<int>(i) - static_cast<int>(present.at)});
    const float radius = ui.px(now ? 12 : 9), width = ui.px(now ? 3 : 2);
    const ImVec2 at{std::round(place.middle().x), std::round(place.middle().y)};
    const Color32 ground = i < present.at ? t.text : t.canvas;
    ui.list().AddCircleFilled(at, radius, now ? t.brand : ground, 32);
    ui.list().AddCircle(at, radius - width / 2, now || i < present.at || hit.hovered ? t.text : t.line_strong, 32,
                        width);
  }
  bar.take_right(ui.px(30));
}

void draw_pill(Ui& ui, Rect& bar, const std::string& words) {
  const float width = ui.width_of(Type::presenter_least, words) + ui.px(32);
  const Rect pill = bar.take_right(width).inset(0, (bar.h - ui.px(44)) / 2);
  ui.fill(pill, ui.theme().ink, ui.px(22));
  ui.text_in(Type::presenter_least, pill, ui.theme().on_ink, words, Ui::Align::center);
  bar.take_right(ui.px(24));
}

float key_width(const Ui& ui, std::string_view key) {
  return std::max(ui.px(40), std::ceil(ui.width_of(Type::presenter_number, key)) + ui.px(24));
}

void draw_key(Ui& ui, Rect place, std::string_view key, Color32 color, Color32 ground, Color32 line) {
  const Rect box = place.inset(0, (place.h - ui.px(40)) / 2);
  ui.fill(box, ground, ui.px(6));
  ui.frame(box, line, ui.px(6), ui.px(1.5F));
  ui.text_in(Type::presenter_number, box, color, key, Ui::Align::center);
}

// What the key of going on does now.
struct NextButton {
  std::string_view command;
  const char* label;
};

std::optional<NextButton> next_button(const Model& model, const SlideView* what) {
  const auto can = [&](std::string_view id) { return why_not(command_named(id), model).empty(); };
  if (what && can("reveal")) return NextButton{"reveal", what->slide.answer > 0 ? "Reveal" : "Skip to the answer"};
  if (can("next-experiment")) return NextButton{"next-experiment", "Next"};
  return std::nullopt;
}

// Where an answer is waited for, going on gives it up, which nobody is invited to.
void draw_next_button(Ui& ui, Rect& bar, const Model& model, const SlideView* what, Actions& actions) {
  const auto next = next_button(model, what);
  if (!next) return;
  const Theme& t = ui.theme();
  const bool quiet = next->command == "reveal" && slide_of(model).answer == 0;
  const float words = std::ceil(ui.width_of(Type::presenter_label, next->label)), key = key_width(ui, "PgDn");
  const Rect box = bar.take_right(words + key + ui.px(76)).inset(0, (bar.h - ui.px(60)) / 2);
  const auto hit = ui.hit("present/onward", box, true, next->label);
  if (hit.clicked) actions.push_back(command_named(next->command).command->action(model));
  Color32 ground = quiet ? t.panel : t.ink;
  if (hit.hovered) ground = quiet ? t.sunken : mix(t.ink, t.on_ink, 0.15F);
  const Color32 color = quiet ? t.text : t.on_ink;
  ui.fill(box, ground, ui.px(10));
  if (quiet) ui.frame(box, t.line_strong, ui.px(10), ui.px(1.5F));
  if (hit.focused) ui.focus_ring(box, ui.px(10));
  Rect inside = box.inset(ui.px(28), 0);
  ui.text_in(Type::presenter_label, inside.take_left(words + ui.px(2)), color, next->label);
  draw_key(ui, inside.take_right(key), "PgDn", color, ground, quiet ? t.line_strong : t.text_faint);
  bar.take_right(ui.px(40));
}

}  // namespace

TimeLeft time_left(Ui& ui, const Presenter& present) {
  const double now = present.frozen ? present.frozen_since : ui.now();
  const double left = std::max(0.0, present.timer - std::max(0.0, now - present.timer_since));
  const auto seconds = static_cast<long long>(std::ceil(left));
  if (left > 0 && !present.frozen)
    ui.redraw_at(present.timer_since + present.timer - static_cast<double>(seconds - 1) + 1e-3);
  return {fmt::format("{}:{:02}", seconds / 60, seconds % 60), seconds == 0};
}

std::string head_in_words(const SlideView& what, bool named) {
  if (!has_heads(what.map)) return {};
  const Index head = what.look().head;
  const std::string words = capitalized(counted_head(what.trace(), what.map, head));
  const std::string name = head_name(what.trace(), what.map, head);
  return named && name != words ? fmt::format("{}: {}", words, name) : words;
}

void draw_present_top(Ui& ui, Rect bar, const Model& model, const SlideView* what, Actions& actions) {
  const Theme& t = ui.theme();
  const Presenter& present = model.present;
  ui.fill(bar, t.canvas);
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, t.line, ui.px(1));
  bar = bar.inset(ui.px(48), 0);
  draw_mark(ui, {bar.x + ui.px(18), bar.middle().y}, 1.75F);
  bar.take_left(ui.px(56));
  draw_progress(ui, bar, present, actions);
  if (present.timer > 0) {
    const TimeLeft left = time_left(ui, present);
    const Rect place = bar.take_right(std::ceil(ui.width_of(Type::presenter_strong, left.text)));
    ui.text_in(Type::presenter_strong, place, left.over ? t.error : t.text, left.text);
    ui.log("present/timer", place, left.text, left.over ? "over" : "");
    bar.take_right(ui.px(40));
  }
  if (present.frozen) draw_pill(ui, bar, "Frozen · F goes on");
  const std::string& name = slide_of(model).name;
  const float width = std::min(std::ceil(ui.width_of(Type::presenter_label, name)), bar.w);
  ui.text_in(Type::presenter_label, bar.take_left(width), t.text, name);
  bar.take_left(ui.px(20));
  std::string head = what ? head_in_words(*what, what->shows(Covered::head)) : "";
  if (what && what->shows_change())
    head += fmt::format("{}{}", head.empty() ? "If " : " · if ", what->question.happens);
  ui.log("present/title", bar, head);
  if (const float w = ui.width_of(Type::presenter_least, head); bar.w > w) {
    ui.text_in(Type::presenter_least, bar, t.text_muted, head);
    if (!head.empty()) bar.take_left(w + ui.px(20));
  }
  if (!slide_of(model).open || !model.shows_older()) return;
  ui.text_in(Type::presenter_least, bar, t.warning, older_words);
  ui.log("present/older", bar, older_words);
}

void draw_present_bottom(Ui& ui, Rect bar, const Model& model, const SlideView* what, Actions& actions) {
  const Theme& t = ui.theme();
  ui.fill(bar, t.panel);
  ui.line({bar.x, bar.y}, {bar.right(), bar.y}, t.line, ui.px(1));
  bar = bar.inset(ui.px(48), 0);
  draw_next_button(ui, bar, model, what, actions);
  const std::size_t choices = what && what->waits() ? what->question.choices.size() : 0;
  const std::string answers = choices > 0 ? "A–" + SlideView::letter(choices - 1) : "";
  const std::pair<std::string_view, const char*> hints[] = {{answers, "answer"}, {"Q", "ask something else"},
                                                            {"PgUp", "back"},    {".", "blank screen"},
                                                            {"?", "all keys"},   {"Esc", "leave"}};
  for (const auto& [key, does] : hints) {
    if (key.empty()) continue;
    const float w = key_width(ui, key), words = std::ceil(ui.width_of(Type::presenter_least, does));
    if (bar.w < w + words + ui.px(16)) return;  // no room for more
    draw_key(ui, bar.take_left(w), key, t.text, t.canvas, t.line_strong);
    bar.take_left(ui.px(16));
    ui.text_in(Type::presenter_least, bar.take_left(words + ui.px(2)), t.text_muted, does);
    bar.take_left(ui.px(44));
  }
}

void draw_present_keys(Ui& ui, Rect window, Actions& actions) {
  const Theme& t = ui.theme();
  const Rect card = window.inset(ui.px(48), ui.px(96));
  if (ui.hit("present/keys", window, false).clicked) actions.push_back(ShowPresentKeys{false});
  ui.fill(card, t.canvas, ui.px(12));
  ui.frame(card, t.line_strong, ui.px(12), ui.px(2));
  const Rect inside = card.inset(ui.px(36), ui.px(28));
  const bool two = inside.w > ui.px(1200);
  const float gap = ui.px(48), width = two ? (inside.w - gap) / 2 : inside.w, room = ui.px(12);
  std::vector<KeyLine> lines = key_lines();
  std::erase_if(lines, [](const KeyLine& line) { return line.section != Section::present; });
  const auto keys_of = [&](const KeyLine& line) {
    float w = 0;
    for (const std::string& key : line.chords) w += key_width(ui, key) + room;
    return std::min(std::max(w, ui.px(150)), width * 0.62F);
  };
  const auto height_of = [&](const KeyLine& line) {
    const float words = paragraph(ui, {}, width - keys_of(line), t.text, line.does, false, Type::presenter_least);
    return std::max(ui.px(50), words + ui.px(14));
  };
  float all = 0, x = inside.x, y = inside.y;
  for (const KeyLine& line : lines) all += height_of(line);
  for (const KeyLine& line : lines) {
    const float height = height_of(line);
    if (two && x == inside.x && y + height > inside.y + all / 2 + ui.px(30)) {
      x += width + gap;
      y = inside.y;
    }
    if (y + height > inside.bottom()) return;
    Rect keys{x, y, keys_of(line), ui.px(50)};
    for (const std::string& key : line.chords)
      if (const float w = key_width(ui, key); w <= keys.w) {
        draw_key(ui, keys.take_left(w), key, t.text, t.panel, t.line_strong);
        keys.take_left(room);
      }
    paragraph(ui, {x + keys_of(line), y + ui.px(9)}, width - keys_of(line), t.text, line.does, true,
              Type::presenter_least);
    y += height;
  }
}

}  // namespace headlight::app
