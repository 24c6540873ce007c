#include "app/widgets/map_part.h"

#include <cmath>

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
  ui.change_at(ui.now());
  return true;
}

}  // namespace headlight::app
