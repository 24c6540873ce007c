// Where the keys of the presenter's map lie on a picture: the picture, with the query and the choices marked on it.
#include <algorithm>
#include <cmath>

#include "app/panels/present/parts.h"
#include "app/panels/views/parts.h"

namespace headlight::app {

namespace {

// A letter on what it stands for, or beside it where that is smaller than the letter or holds the query: one corner
// each.
void draw_letter(Ui& ui, Rect box, Rect place, std::optional<Rect> query, std::size_t choice, bool wins,
                 bool answered) {
  const Theme& t = ui.theme();
  const float side = ui.px(40);
  Point at = place.middle();
  const Rect both = query ? common(place, *query) : Rect{};
  if (place.w < side || place.h < side || (both.w > 0 && both.h > 0)) {
    at.x += (choice % 2 == 0 ? -1 : 1) * (place.w + side) / 2;
    at.y += (choice < 2 ? -1 : 1) * (place.h + side) / 2;
  }
  at.x = std::clamp(at.x, box.x + side / 2, std::max(box.x + side / 2, box.right() - side / 2));
  at.y = std::clamp(at.y, box.y + side / 2, std::max(box.y + side / 2, box.bottom() - side / 2));
  const Rect badge{at.x - side / 2, at.y - side / 2, side, side};
  const Color32 ground = wins ? t.ok : answered ? t.ink : t.canvas;
  ui.fill(badge, ground, ui.px(8));
  ui.frame(badge, wins || answered ? t.canvas : t.text, ui.px(8), ui.px(2));
  ui.text_in(Type::presenter_label, badge, wins || answered ? t.on_ink : t.text, Presented::letter(choice),
             Ui::Align::center);
}

}  // namespace

bool is_on_picture(const Presented& what) {
  return slice_of(what.map, focus_of(what.look())).positions == Role::key;
}

void draw_present_picture(Ui& ui, Rect box, const Presented& what, PanelMemory& memory) {
  Scene scene = scene_of(what.scene, memory);
  const Question& question = what.question;
  const bool asked = !question.choices.empty(), hidden = what.hidden();
  const Slice slice = slice_of(what.map, scene.focus);
  Rect caption = box.take_top(ui.px(46));
  Rect place = fitted(box, scene.rows, scene.columns);
  place.x += std::max(0.0F, std::round((box.w - place.w) / 2));
  caption.take_left(place.x - caption.x);
  const Rect mark = caption.take_left(ui.px(28)).inset(0, (caption.h - ui.px(28)) / 2);
  ui.frame(mark, ui.theme().query.main, 0, ui.px(4));
  caption.take_left(ui.px(14));
  ui.text_in(Type::presenter_label, caption, ui.theme().query.main,
             slice.grid.frames > 1 ? fmt::format("the query, in frame {}", slice.frame) : std::string("the query"));
  if (!hidden)
    draw_response(ui, what.scene, memory, "present/response", place, scene, what.look().head, false);
  else if (scene.picture)
    draw_picture(ui, memory, "present/picture", place, scene.picture);
  else
    ui.fill(place, ui.theme().sunken);
  ui.frame(place.inset(-1), ui.theme().line_strong);
  ui.log("present/picture", place, hidden ? "hidden" : "shown");
  if (scene.windowed) {
    ui.clip(place.inset(-ui.px(3)));
    ui.frame(window_rect(place, scene, slice.grid), ui.theme().key.main, 0, ui.px(3));
    ui.unclip();
  }
  const auto query = query_rect(place, scene, slice.frame);
  const Index plane = slice.grid.rows * slice.grid.columns;
  for (std::size_t i = 0; asked && i < question.choices.size(); ++i) {
    const Index key = question.choices[i].key;
    if (key / plane != slice.frame) continue;
    const auto at = key_rect(place, scene, key % plane / slice.grid.columns, key % slice.grid.columns);
    if (!at) continue;
    const bool wins = what.slide.revealed && i == question.winner,
               answered = what.slide.answer == static_cast<int>(i) + 1;
    mark_pixel(ui, *at, wins ? ui.theme().ok : ui.theme().ink);
    draw_letter(ui, place, *at, query, i, wins, answered);
  }
  if (query) {
    ui.frame(query->inset(-ui.px(3)), ui.theme().canvas, 0, ui.px(8));
    ui.frame(query->inset(-ui.px(1)), ui.theme().query.main, 0, ui.px(4));
  }
}

}  // namespace headlight::app
