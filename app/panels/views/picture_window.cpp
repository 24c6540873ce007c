#include "app/panels/views/parts.h"

#include <algorithm>

namespace headlight::app {

namespace {

// Where the picture ends inside a window: a line along each of its sides that the window looks over.
void draw_picture_edge(Ui& ui, Rect box, const Scene& scene, const Grid& window) {
  const Index top = std::max<Index>(0, -scene.place.row), left = std::max<Index>(0, -scene.place.column),
              bottom = std::min(window.rows, scene.rows - scene.place.row),
              right = std::min(window.columns, scene.columns - scene.place.column);
  const Rect first = pixel_rect(box, window.rows, window.columns, top, left),
             last = pixel_rect(box, window.rows, window.columns, bottom - 1, right - 1);
  const Point from{first.x, first.y}, to{last.right(), last.bottom()};
  const auto edge = [&](Point a, Point b) {
    ui.line(a, b, ui.theme().canvas, ui.px(4));
    ui.line(a, b, ui.theme().ink, ui.px(2));
  };
  if (top > 0) edge(from, {to.x, from.y});
  if (left > 0) edge(from, {from.x, to.y});
  if (bottom < window.rows) edge({from.x, to.y}, to);
  if (right < window.columns) edge({to.x, from.y}, to);
}

// What is said below a window whose keys do not all lie inside the picture.
std::string words_of_window(bool outside, bool hidden, bool masked) {
  if (!outside) return "Row by row, the query in the middle. Move it to a border to see what lies outside the picture.";
  if (hidden) return "Hatched: outside the picture. Masked, so these keys take no part.";
  return masked ? "Beyond the dark line the picture ends. A later step masks these keys."
                : "Beyond the dark line the picture ends. {key:Keys} and {value:values} there are zeros, and they take "
                  "part.";
}

}  // namespace

float draw_window(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& scene, Actions& actions) {
  const Theme& t = ui.theme();
  const float top = room.y;
  const Slice slice = slice_of(*scene.step, scene.focus);
  ui.text_in(Type::label_strong, room.take_top(ui.px(24)), t.text, "The window of this query");
  const float side = std::min(room.w, ui.px(260));
  const Rect box = fitted({room.x, room.y, side, side}, slice.grid.rows, slice.grid.columns);
  MapData map = memory.cells.map(ui, model, *scene.step, scene.focus.head);
  map.key = "window/" + map.key;
  draw_map(ui, map, box, MapSize::large, true);
  ui.frame(box.inset(-1), t.line_strong);
  bool outside = false, hidden = false;
  for (Index r = 0; r < slice.grid.rows; ++r)
    for (Index c = 0; c < slice.grid.columns; ++c) {
      const Rect cell = pixel_rect(box, slice.grid.rows, slice.grid.columns, r, c);
      const Index y = scene.place.row + r, x = scene.place.column + c;
      const float value = slice.matrix.at(r, c);
      outside = outside || y < 0 || x < 0 || y >= scene.rows || x >= scene.columns;
      if (is_masked(map.cells.at(r, c))) {
        hidden = true;
        continue;
      }
      const std::string text = cell_text(value, map.range);
      if (ui.width_of(Type::number_note, text) + 2 > cell.w) continue;
      const Color ink = readable_text_on(color_at(color_table(map.colormap), normalise(value, map.range)));
      ui.text_in(Type::number_note, cell,
                 0xFF000000U | (static_cast<Color32>(ink.b) << 16) | (static_cast<Color32>(ink.g) << 8) | ink.r, text,
                 Ui::Align::center);
    }
  if (outside && !hidden) draw_picture_edge(ui, box, scene, slice.grid);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column) mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, *row, *column), t.key.main);
  mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, slice.grid.rows / 2, slice.grid.columns / 2),
             t.query.main);
  const auto hit = ui.hit("window", box, true, fmt::format("{}×{}", slice.grid.rows, slice.grid.columns));
  if (hit.hovered) {
    const auto at = [](float offset, float pixels, Index cells) {
      return std::clamp<Index>(static_cast<Index>(offset / pixels * static_cast<float>(cells)), 0, cells - 1);
    };
    const Selection under =
        selection_at(slice, at(ui.mouse().y - box.y, box.h, slice.grid.rows),
                     at(ui.mouse().x - box.x, box.w, slice.grid.columns), model.document.look.selection);
    memory.hover = Hover{scene.step->info.id, scene.focus.head, under};
    if (hit.clicked) actions.push_back(Select{under, true});
  }
  const bool masked = model.shown.problem->params.choice("padding") == "masked";
  const std::string said = words_of_window(outside, hidden, masked);
  const float words = paragraph(ui, {room.x, box.bottom() + ui.px(8)}, room.w, t.text_muted, said, true, Type::note);
  ui.log("window/words", {room.x, box.bottom() + ui.px(8), room.w, words}, said);
  return box.bottom() + ui.px(8) + words - top;
}

}  // namespace headlight::app
