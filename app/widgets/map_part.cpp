#include "app/widgets/map_part.h"

#include <cmath>

#include "app/platform/input.h"
#include "app/widgets/controls.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

Index cells_shown(Index count, double zoom) {
  return std::clamp<Index>(std::llround(static_cast<double>(count) / zoom), std::min<Index>(count, 2), count);
}

void keep_inside(MapPart& part, const MatrixView& cells) {
  part.zoom = std::clamp(part.zoom, 1.0, static_cast<double>(std::max({cells.rows, cells.columns, Index{2}})) / 2);
  part.row = std::clamp<Index>(part.row, 0, cells.rows - cells_shown(cells.rows, part.zoom));
  part.column = std::clamp<Index>(part.column, 0, cells.columns - cells_shown(cells.columns, part.zoom));
}

namespace {

std::vector<std::string> labels_from(const std::vector<std::string>& labels, Index first, Index count) {
  const auto size = static_cast<Index>(labels.size());
  const auto begin = labels.begin() + std::min(first, size), end = labels.begin() + std::min(first + count, size);
  return {begin, end};
}

std::optional<Index> moved(std::optional<Index> at, Index first, Index count) {
  if (!at || *at < first || *at >= first + count) return std::nullopt;
  return *at - first;
}

}  // namespace

HeatmapData part_of(const HeatmapData& whole, const MapPart& part) {
  if (part.zoom <= 1) return whole;
  HeatmapData data = whole;
  const MatrixView& cells = data.map.cells;
  cut_map(data.map, part.row, part.column, cells_shown(cells.rows, part.zoom), cells_shown(cells.columns, part.zoom));
  data.first_row = part.row;
  data.first_column = part.column;
  data.row_labels = labels_from(whole.row_labels, part.row, cells.rows);
  data.column_labels = labels_from(whole.column_labels, part.column, cells.columns);
  data.row = moved(whole.row, part.row, cells.rows);
  data.column = moved(whole.column, part.column, cells.columns);
  const auto moved_cell = [&](const std::optional<CellAt>& at) -> std::optional<CellAt> {
    if (!at) return std::nullopt;
    const auto row = moved(at->row, part.row, cells.rows), column = moved(at->column, part.column, cells.columns);
    return row && column ? std::optional(CellAt{*row, *column}) : std::nullopt;
  };
  data.pointed = moved_cell(whole.pointed);
  data.second = moved_cell(whole.second);
  std::erase_if(data.column_groups, [&](Index column) { return column <= part.column; });
  for (Index& column : data.column_groups) column -= part.column;
  std::erase_if(data.column_groups, [&](Index column) { return column >= cells.columns; });
  return data;
}

bool pan(Ui& ui, MapPart& part, Rect map, const MatrixView& cells, bool held) {
  if (!held) {
    const bool dragged = part.drag && part.drag->moved;
    part.drag.reset();
    return dragged;
  }
  if (!part.drag) part.drag = MapPart::Drag{ui.mouse(), part.row, part.column, false};
  const float across = ui.mouse().x - part.drag->from.x, down = ui.mouse().y - part.drag->from.y;
  if (part.zoom <= 1 || (!part.drag->moved && std::hypot(across, down) < ui.px(4))) return false;
  part.drag->moved = true;
  const auto cells_in = [](float px, float length, Index count) {
    return static_cast<Index>(std::lround(px / length * static_cast<float>(count)));
  };
  part.column = part.drag->column - cells_in(across, map.w, cells_shown(cells.columns, part.zoom));
  part.row = part.drag->row - cells_in(down, map.h, cells_shown(cells.rows, part.zoom));
  keep_inside(part, cells);
  ui.redraw_at(ui.now());
  return true;
}

void zoom(Ui& ui, MapPart& part, Rect map, const MatrixView& cells, const std::function<Rect()>& next_map) {
  if (!ui.mouse_in(map)) return;
  const bool typing = ui.memory().editing != nullptr;
  const double before = part.zoom;
  if (modifiers().ctrl)
    part.zoom *= std::pow(1.25, static_cast<double>(ui.take_wheel(map)));
  else if (!typing && (take_key(Key::equal) || take_key(Key::equal, {.shift = true})))
    part.zoom *= 1.25;
  else if (!typing && take_key(Key::minus))
    part.zoom *= 0.8;
  const bool whole = (!typing && part.zoom > 1 && take_key(Key::zero, {}, false)) || ui.double_clicked(map);
  if (whole && part.zoom > 1) part.zoom = 1;
  if (part.zoom == before) return;
  // How many cells are before the one under the pointer.
  const auto before_it = [](float from, float size, Index shown) {
    return std::clamp<Index>(static_cast<Index>(from / size * static_cast<float>(shown)), 0, shown - 1);
  };
  const Point at = ui.mouse();
  const Index column = part.column + before_it(at.x - map.x, map.w, cells_shown(cells.columns, before)),
              row = part.row + before_it(at.y - map.y, map.h, cells_shown(cells.rows, before));
  keep_inside(part, cells);
  const Rect next = next_map();
  part.column = column - before_it(at.x - next.x, next.w, cells_shown(cells.columns, part.zoom));
  part.row = row - before_it(at.y - next.y, next.h, cells_shown(cells.rows, part.zoom));
  keep_inside(part, cells);
  ui.redraw_at(ui.now());
}

Rect begin_overview(Ui& ui, Rect map, const MatrixView& cells, Point away_from) {
  const float side = std::min(ui.px(112), std::min(map.w, map.h) * 0.4F);
  const float longest = static_cast<float>(std::max(cells.rows, cells.columns));
  const float w = std::max(ui.px(12), side * static_cast<float>(cells.columns) / longest),
              h = std::max(ui.px(12), side * static_cast<float>(cells.rows) / longest);
  const bool left = map.contains(away_from) && away_from.x > map.middle().x && away_from.y > map.middle().y;
  const Rect box = rounded({left ? map.x + ui.px(8) : map.right() - w - ui.px(8), map.bottom() - h - ui.px(8), w, h});
  draw_sheet(ui, box.inset(-ui.px(4)), 4);
  return box;
}

void frame_part(Ui& ui, const std::string& path, Rect overview, const MapPart& part, const MatrixView& cells) {
  const auto share = [](Index of, Index all) { return static_cast<float>(of) / static_cast<float>(all); };
  const Rect shown{overview.x + overview.w * share(part.column, cells.columns),
                   overview.y + overview.h * share(part.row, cells.rows),
                   std::max(ui.px(5), overview.w * share(cells_shown(cells.columns, part.zoom), cells.columns)),
                   std::max(ui.px(5), overview.h * share(cells_shown(cells.rows, part.zoom), cells.rows))};
  ui.frame(shown.inset(-ui.px(1)), ui.theme().ink, 0, ui.px(3));
  ui.frame(shown, ui.theme().brand, 0, ui.px(1.5F));
  ui.log(path + "/overview", overview, fmt::format("{},{}", part.row, part.column));
}

}  // namespace headlight::app
