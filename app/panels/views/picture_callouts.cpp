#include "app/panels/views/parts.h"

#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>

#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// What a callout keeps off: the other pixel, another callout, and the window that the keys lie in.
struct Obstacles {
  std::optional<Rect> pixel, callout, window;
};

// Beside a window, whose numbers stay in sight, if there is room: above, below, at its right or left. Its line does not
// run over the other pixel.
std::optional<Rect> beside_window(const Ui& ui, Rect bounds, const Obstacles& obstacles, Rect pixel, float w, float h) {
  const Rect window = *obstacles.window;
  const float gap = ui.px(12);
  const Point at = pixel.middle();
  const float x = std::clamp(at.x - w / 2, bounds.x, std::max(bounds.x, bounds.right() - w)),
              y = std::clamp(at.y - h / 2, bounds.y, std::max(bounds.y, bounds.bottom() - h));
  const Rect above{x, window.y - gap - h, w, h}, below{x, window.bottom() + gap, w, h};
  const bool over = !obstacles.pixel || obstacles.pixel->y >= pixel.y;
  for (const Rect box : {over ? above : below, Rect{window.right() + gap, y, w, h}, Rect{window.x - gap - w, y, w, h},
                         over ? below : above})
    if (box.x >= bounds.x && box.y >= bounds.y && box.right() <= bounds.right() && box.bottom() <= bounds.bottom() &&
        !(obstacles.callout && box.overlaps(*obstacles.callout)))
      return box;
  return std::nullopt;
}

// A few words in a box beside a pixel, tied to it, within `bounds`. Returns its box; nothing where there is no room,
// for then the line below the picture has to do.
std::optional<Rect> draw_callout(Ui& ui, Rect bounds, Rect pixel, const Obstacles& obstacles,
                                 const std::vector<std::string>& lines, const RoleColors& role) {
  const auto &avoid = obstacles.pixel, &taken = obstacles.callout;
  float width = 0;
  for (const auto& line : lines) width = std::max(width, ui.width_of(Type::label_strong, line));
  const float w = width + ui.px(20), h = ui.px(12) + ui.px(18) * static_cast<float>(lines.size());
  if (w > bounds.w || h > bounds.h) return std::nullopt;
  const Point at = pixel.middle();
  // Above or below, left or right: away from the other pixel first, else wherever nothing stands.
  const bool right = avoid ? at.x >= avoid->middle().x : at.x < bounds.middle().x;
  const bool above = !avoid || avoid->middle().y == at.y || at.y < avoid->middle().y;
  const float away = ui.px(34);
  const auto placed = [&](bool to_right, bool upward) {
    Rect box{to_right ? at.x + ui.px(14) : at.x - ui.px(14) - w, upward ? at.y - away - h : at.y + away, w, h};
    box.x = std::clamp(box.x, bounds.x, bounds.right() - w);
    box.y = std::clamp(box.y, bounds.y, bounds.bottom() - h);
    return box;
  };
  const auto stands_free = [&](Rect box) {
    return !box.overlaps(pixel) && !(avoid && box.overlaps(*avoid)) && !(taken && box.overlaps(*taken));
  };
  std::optional<Rect> found;
  if (obstacles.window) found = beside_window(ui, bounds, obstacles, pixel, w, h);
  for (const auto& [to_right, upward] : {std::pair{right, above}, {right, !above}, {!right, above}, {!right, !above}})
    if (const Rect box = placed(to_right, upward); !found && stands_free(box)) found = box;
  if (!found) return std::nullopt;
  const Rect box = *found;
  const bool upward = box.middle().y < at.y;
  const bool sideways = box.right() < pixel.x || pixel.right() < box.x;
  const bool level = sideways && box.y < at.y && at.y < box.bottom();  // tied along its row
  const float out = ui.px(3);
  Point from{std::clamp(at.x, box.x + ui.px(10), box.right() - ui.px(10)), upward ? box.bottom() : box.y};
  Point to{at.x, upward ? pixel.y - out : pixel.bottom() + out};
  if (level) {
    if (box.x < at.x) from.x = box.right();
    from.y = at.y;
    to = {box.x < at.x ? pixel.x - out : pixel.right() + out, at.y};
  }
  ui.line(from, to, role.main, ui.px(1.5F));
  ui.fill(box, ui.theme().canvas, ui.px(5));
  ui.frame(box, role.main, ui.px(5), ui.px(1.5F));
  Rect text = box.inset(ui.px(10), ui.px(6));
  bool first = true;
  for (const auto& line : lines) {
    ui.text_in(first ? Type::label_strong : Type::label, text.take_top(ui.px(18)),
               first ? ui.theme().text : ui.theme().text_muted, line);
    first = false;
  }
  return box;
}

std::string offset_in_words(Index later, Index down, Index across) {
  std::vector<std::string> parts;
  if (later != 0)
    parts.push_back(fmt::format("{} frame{} {}", std::abs(later), std::abs(later) == 1 ? "" : "s",
                                later > 0 ? "later" : "earlier"));
  if (down != 0) parts.push_back(fmt::format("{} {}", std::abs(down), down > 0 ? "down" : "up"));
  if (across != 0) parts.push_back(fmt::format("{} {}", std::abs(across), across > 0 ? "right" : "left"));
  return parts.empty() ? "the query itself" : fmt::format("{}", fmt::join(parts, ", "));
}

// "query “obj3”", of one that lies on no picture or on another.
std::string query_title(const Scene& scene) {
  const Axis* queries = scene.step->axis(AxisRole::query);
  const Index query = scene.focus.selection.query.value_or(0);
  if (!queries || ((queries->labels.empty() || labels_are_numbers(*queries)) && !is_on_picture(*queries)))
    return fmt::format("query {}", query);
  return is_on_picture(*queries) ? fmt::format("query {}", place_of(*queries->grid, query))
                                 : fmt::format("query “{}”", label_of(queries, query, scene.focus.batch));
}

struct KeyText {
  std::string key;    // "key 25, 14 · weight 0.062", "key at offset −2, +1 · weight 0.062"
  std::string place;  // "1 down, 3 right", "pixel 3, 11", "largest of 4 pixels"
};

std::string key_location(const Scene& scene, const KeyPlace& place, Index query) {
  if (!place.pixel.empty()) return place.pixel;
  if (!scene.query_on_picture) return fmt::format("of {}", query_title(scene));
  if (place.rows * place.columns > 1) return fmt::format("largest of {} pixels", place.rows * place.columns);
  const Index plane = scene.queries.rows * scene.queries.columns, q = query % plane;
  return offset_in_words(place.frame - query / plane, place.row - q / scene.queries.columns,
                         place.column - q % scene.queries.columns);
}

// The selected key, if there is one on the picture.
std::optional<KeyText> key_text(const Trace& trace, const Scene& scene) {
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  const auto query = scene.focus.selection.query, position = scene.focus.selection.key;
  if (!row || !column || !query || !position) return std::nullopt;
  const bool is_run = scene.step == scene.run;  // else what it hides is −∞ already
  const KeyPlace place = key_place(trace, *scene.step, *position, query, scene.focus.batch);
  const float value = slice.matrix.at(*row, *column);
  const bool masked =
      is_masked(value) || (is_run && !why_masked(trace, *scene.step, slice.cell_at(*row, *column)).empty());
  return KeyText{fmt::format("key {}{} · {} {}", place.pixel.empty() ? "" : "at offset ", place.at,
                             quantity_of(*scene.step), masked ? "masked" : number_text(value, 4)),
                 key_location(scene, place, *query)};
}

}  // namespace

std::string line_below(const Trace& trace, const Scene& scene) {
  const auto words = key_text(trace, scene);
  if (words) return fmt::format("{} · {}", words->key, words->place);
  return std::string("Point at a pixel, click to keep it") +
         (scene.query_on_picture ? " · Shift-click moves the query" : "");
}

void draw_callouts(Ui& ui, Rect box, const Trace& trace, const Scene& scene) {
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  const auto key = row && column ? key_rect(box, scene, *row, *column) : std::nullopt;
  const auto query = query_rect(box, scene, slice.frame);
  const auto words = key_text(trace, scene);
  Obstacles obstacles{query, {}, {}};
  if (scene.windowed) obstacles.window = window_rect(box, scene, slice.grid);
  if (key && words)
    obstacles.callout = draw_callout(ui, box, *key, obstacles, {words->key, words->place}, ui.theme().key);
  if (obstacles.callout) ui.log("picture/callout", *obstacles.callout, words->key);
  if (obstacles.window) ui.log("picture/window", *obstacles.window);
  obstacles.pixel = key;
  if (!query || (key && key->x == query->x && key->y == query->y)) return;
  const std::string place = place_of(scene.queries, *scene.focus.selection.query);
  draw_callout(ui, box, *query, obstacles, {"query " + place}, ui.theme().query);
}

}  // namespace headlight::app
