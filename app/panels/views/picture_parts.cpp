// The parts of the view of a picture: what all know of the step, and a window round the query.
#include <algorithm>
#include <cmath>

#include "app/panels/views/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/printed.h"
#include "app/reading/scaling.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"
#include "app/widgets/map_part.h"

namespace headlight::app {

namespace {

// Keys that are places of windows, where the query's lie on the picture.
void put_keys_on_grid(const Model& model, PanelMemory& memory, Scene& scene) {
  Selection& selected = scene.focus.selection;
  const Axis &queries = *scene.run->axis(AxisRole::query), &keys = *scene.run->axis(AxisRole::key);
  const Index query = queries.only.value_or(std::clamp<Index>(selected.query.value_or(0), 0, queries.size - 1));
  if (selected.query) selected.query = query;
  if (selected.key && *selected.key >= keys.size) selected.key.reset();
  const std::string id = fmt::format("{}/{}", scene.run->info.id, query);  // of the numbers that are kept
  WindowRowMemory& kept = memory.get<WindowRowMemory>();
  if (kept.run != model.shown.ticket || !kept.row || kept.row->info.id != id) {
    Step row = keys_on_grid(*model.trace(), *scene.run, query);
    row.info.id = id;
    kept = {model.shown.ticket, std::make_shared<const Step>(std::move(row))};
  }
  scene.step = kept.row.get();
  if (selected.key) selected.key = keys.position_of(query, *selected.key);
}

ValueRange range_of_head(const Model& model, PanelMemory& memory, const Scene& scene, Index head) {
  if (scene.step == scene.run) return memory.cells.range(model, *scene.run, head);
  return shown_range(*scene.run, scene.focus.batch, head, model.document.look.scaling,
                     scene.focus.selection.query.value_or(0));
}

}  // namespace

Scene scene_of(const Model& model, PanelMemory& memory) {
  Scene scene;
  scene.step = scene.run = model.step();
  scene.focus = effective_focus(model);
  if (has_places_of_windows(*scene.run)) put_keys_on_grid(model, memory, scene);
  const Slice slice = slice_of(*scene.step, scene.focus);
  const Axis* queries = scene.step->axis(AxisRole::query);
  const Index in_row = queries ? queries->size : 1;
  scene.queries = queries && queries->grid ? *queries->grid : Grid{1, 1, in_row};
  const Axis* keys = scene.step->axis(AxisRole::key);
  scene.positions = keys && slice.positions == Role::key ? keys : queries;
  scene.query_on_picture = queries && (!keys || share_a_picture(*model.shown.problem, *queries, *keys));
  scene.picture = picture_or_features(model, memory, slice.frame, scene.positions);
  scene.windowed = is_window(slice);
  const Grid& whole = scene.windowed ? scene.queries : slice.grid;
  scene.rows = scene.picture ? scene.picture.cells->height : whole.rows;
  scene.columns = scene.picture ? scene.picture.cells->width : whole.columns;
  scene.all_rows = scene.rows;
  scene.all_columns = scene.columns;
  const Index plane = scene.queries.rows * scene.queries.columns;
  const Index query = scene.focus.selection.query.value_or(0) % std::max<Index>(1, plane);
  if (scene.windowed) {
    scene.place.row = query / scene.queries.columns - slice.grid.rows / 2;
    scene.place.column = query % scene.queries.columns - slice.grid.columns / 2;
  } else {
    scene.place.block_rows = std::max<Index>(1, scene.rows / slice.grid.rows);
    scene.place.block_columns = std::max<Index>(1, scene.columns / slice.grid.columns);
  }
  scene.range = range_of_head(model, memory, scene, scene.focus.head);
  return scene;
}

namespace {

OverNumbers numbers_of(const Ui& ui, const Scene& scene, const MapData& map) {
  return {map.cells, scene.place, scene.range, default_colormap(scene.range.is_signed(), ui.theme().dark), map.numbers};
}

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

std::optional<Rect> key_rect(Rect box, const Scene& scene, Index row, Index column) {
  const Index top = scene.place.row + row * scene.place.block_rows,
              left = scene.place.column + column * scene.place.block_columns;
  if (top < 0 || left < 0 || top >= scene.rows || left >= scene.columns) return std::nullopt;
  Rect r = pixel_rect(box, scene.rows, scene.columns, top, left);
  r.w *= static_cast<float>(scene.place.block_columns);
  r.h *= static_cast<float>(scene.place.block_rows);
  return r;
}

std::optional<Rect> query_rect(Rect box, const Scene& scene, Index frame) {
  const Index plane = scene.queries.rows * scene.queries.columns;
  const auto query = scene.focus.selection.query;
  if (!query || !scene.query_on_picture || (scene.queries.frames > 1 && *query / plane != frame)) return std::nullopt;
  const Rect first = pixel_rect(box, scene.rows, scene.columns, -scene.first_row, -scene.first_column);
  const Rect whole{first.x, first.y, first.w * static_cast<float>(scene.all_columns),
                   first.h * static_cast<float>(scene.all_rows)};
  const Rect place = pixel_rect(whole, scene.queries.rows, scene.queries.columns,
                                *query % plane / scene.queries.columns, *query % scene.queries.columns);
  return box.contains(place.middle()) ? std::optional(place) : std::nullopt;
}

Scene part_of(const Scene& whole, const MapPart& part) {
  if (part.zoom <= 1) return whole;
  Scene scene = whole;
  scene.first_row = part.row;
  scene.first_column = part.column;
  scene.rows = cells_shown(whole.rows, part.zoom);
  scene.columns = cells_shown(whole.columns, part.zoom);
  scene.place.row -= part.row;
  scene.place.column -= part.column;
  scene.picture.part = PicturePart{part.row, part.column, scene.rows, scene.columns};
  return scene;
}

Rect window_rect(Rect box, const Scene& scene, const Grid& window) {
  const Rect cell = pixel_rect(box, scene.rows, scene.columns, 0, 0);
  return {box.x + static_cast<float>(scene.place.column) * cell.w, box.y + static_cast<float>(scene.place.row) * cell.h,
          static_cast<float>(window.columns) * cell.w, static_cast<float>(window.rows) * cell.h};
}

void draw_response(Ui& ui, const Model& model, PanelMemory& memory, const std::string& key, Rect box, Scene scene,
                   Index head, bool marks) {
  scene.focus.head = head;
  scene.range = range_of_head(model, memory, scene, head);
  MapData map = memory.cells.map(ui, model, *scene.step, head, scene.focus.frame);
  map.range = scene.range;
  if (scene.picture)
    draw_overlay(ui, memory, key, box, scene.picture, numbers_of(ui, scene, map));
  else
    draw_map(ui, map, box, MapSize::small);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  if (!marks) return;
  const Slice slice = slice_of(*scene.step, scene.focus);
  if (scene.windowed) {
    ui.clip(box.inset(-ui.px(3)));
    ui.frame(window_rect(box, scene, slice.grid), ui.theme().key.main, 0, ui.px(1.5F));
    ui.unclip();
  }
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column)
    if (const auto place = key_rect(box, scene, *row, *column)) mark_pixel(ui, *place, ui.theme().key.main);
  if (const auto place = query_rect(box, scene, slice.frame)) mark_pixel(ui, *place, ui.theme().query.main);
}

Scene zoom_to_window(const Scene& whole) {
  if (whole.step == whole.run || !whole.picture) return whole;
  const double side = std::sqrt(static_cast<double>(whole.run->axis(AxisRole::key)->size));
  const Index query = whole.focus.selection.query.value_or(0);
  MapPart part{whole.rows, whole.columns, 1, 0, 0, {}};
  part.zoom = std::max(1.0, static_cast<double>(std::min(whole.rows, whole.columns)) / (2.5 * side));
  part.row = query / whole.columns - cells_shown(whole.rows, part.zoom) / 2;
  part.column = query % whole.columns - cells_shown(whole.columns, part.zoom) / 2;
  keep_inside(part, {nullptr, whole.rows, whole.columns, 0, 0});
  return part_of(whole, part);
}

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
      ui.text_in(Type::number_note, cell, color32(ink), text, Ui::Align::center);
    }
  if (outside && !hidden) draw_picture_edge(ui, box, scene, slice.grid);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column) mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, *row, *column), t.key.main);
  mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, slice.grid.rows / 2, slice.grid.columns / 2),
             t.query.main);
  const auto hit = ui.hit("window", box, true, fmt::format("{}×{}", slice.grid.rows, slice.grid.columns));
  if (hit.hovered) {
    const CellAt at = pixel_at(box, slice.grid.rows, slice.grid.columns, ui.mouse());
    const Selection under = selection_at(slice, at.row, at.column, model.document.look.selection);
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
