#include "app/panels/views/parts.h"

#include <algorithm>

namespace headlight::app {

Scene scene_of(const Model& model, PanelMemory& memory) {
  Scene scene;
  scene.step = model.step();
  scene.focus = effective_focus(model);
  const Slice slice = slice_of(*scene.step, scene.focus);
  const Axis* queries = scene.step->axis(AxisRole::query);
  scene.queries = queries && queries->grid ? *queries->grid : Grid{1, 1, queries ? queries->size : 1};
  scene.picture = base_or_features(model, memory, slice.frame);
  scene.windowed = is_window(slice);
  const Grid& whole = scene.windowed ? scene.queries : slice.grid;
  scene.rows = scene.picture ? scene.picture.cells->height : whole.rows;
  scene.columns = scene.picture ? scene.picture.cells->width : whole.columns;
  const Index plane = scene.queries.rows * scene.queries.columns;
  const Index query = scene.focus.selection.query.value_or(0) % std::max<Index>(1, plane);
  if (scene.windowed) {
    scene.place.row = query / scene.queries.columns - slice.grid.rows / 2;
    scene.place.column = query % scene.queries.columns - slice.grid.columns / 2;
  } else {
    scene.place.block_rows = std::max<Index>(1, scene.rows / slice.grid.rows);
    scene.place.block_columns = std::max<Index>(1, scene.columns / slice.grid.columns);
  }
  scene.range = memory.cells.range(model, *scene.step, scene.focus.head);
  return scene;
}

namespace {

OverNumbers numbers_of(const Ui& ui, const Scene& scene, const MapData& map) {
  return {map.cells, scene.place, scene.range, default_colormap(scene.range.is_signed(), ui.theme().dark), map.numbers};
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
  if (!query || (scene.queries.frames > 1 && *query / plane != frame)) return std::nullopt;
  return pixel_rect(box, scene.queries.rows, scene.queries.columns, *query % plane / scene.queries.columns,
                    *query % scene.queries.columns);
}

Rect window_rect(Rect box, const Scene& scene, const Grid& window) {
  const Rect cell = pixel_rect(box, scene.rows, scene.columns, 0, 0);
  return {box.x + static_cast<float>(scene.place.column) * cell.w, box.y + static_cast<float>(scene.place.row) * cell.h,
          static_cast<float>(window.columns) * cell.w, static_cast<float>(window.rows) * cell.h};
}

void draw_response(Ui& ui, const Model& model, PanelMemory& memory, const std::string& key, Rect box, Scene scene,
                   Index head, bool marks) {
  scene.focus.head = head;
  scene.range = memory.cells.range(model, *scene.step, head);
  const MapData map = memory.cells.map(ui, model, *scene.step, head, scene.focus.frame);
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

}  // namespace headlight::app
