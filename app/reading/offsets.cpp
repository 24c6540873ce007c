#include "app/reading/offsets.h"

#include <algorithm>

namespace headlight::app {

namespace {

struct Tables {
  const Step *rows = nullptr, *columns = nullptr;
};

// That of rows comes first.
Tables tables_of(const Trace& trace) {
  Tables tables;
  for (const Step& source : trace.sources)
    if (source.info.role == Role::position && source.axis(AxisRole::offset))
      (tables.rows ? tables.columns : tables.rows) = &source;
  return tables;
}

}  // namespace

std::optional<RelativeTables> relative_tables(const Trace& trace) {
  const auto [rows, columns] = tables_of(trace);
  if (!rows || !columns) return std::nullopt;
  for (const Step& step : trace.steps) {
    if (step.info.role != Role::score || !step.axis(AxisRole::query) || !step.axis(AxisRole::key)) continue;
    const auto read = trace.read_by(step);
    if (std::ranges::any_of(read, [](const Step* from) { return from->info.role == Role::position; }))
      return RelativeTables{rows, columns, &step};
  }
  return std::nullopt;
}

std::string side_of(const Trace& trace, const Step& step) {
  if (step.info.role != Role::position) return "";
  if (step.axis(AxisRole::row)) return "row";
  if (step.axis(AxisRole::column)) return "col";
  const Tables tables = tables_of(trace);
  if (!tables.columns) return "";
  if (&step == tables.rows) return "row";
  return &step == tables.columns ? "col" : "";
}

Result<Offsets> offsets_of(const Slice& keys, Index query) {
  const MatrixView& from = keys.matrix;
  if (is_window(keys)) {
    Offsets window{Tensor({from.rows, from.columns}), -(from.rows / 2), -(from.columns / 2)};
    for (Index r = 0; r < from.rows; ++r)
      for (Index c = 0; c < from.columns; ++c) window.cells[r * from.columns + c] = from.at(r, c);
    return window;
  }
  const Axis* queries = keys.step->axis(AxisRole::query);
  const Grid grid = queries ? queries->grid.value_or(Grid{1, 1, queries->size}) : Grid{1, 0, 0};
  if (grid.rows != from.rows || grid.columns != from.columns)
    return fail("--as offsets: the keys of {} lie on another grid than the queries, {} × {} and {} × {}",
                keys.step->info.id, from.rows, from.columns, grid.rows, grid.columns);
  const Index rows = 2 * grid.rows - 1, columns = 2 * grid.columns - 1;
  const Index place = query % (grid.rows * grid.columns);
  const Index down = grid.rows - 1 - place / grid.columns, right = grid.columns - 1 - place % grid.columns;
  Offsets offsets{Tensor({rows, columns}), 1 - grid.rows, 1 - grid.columns};
  std::ranges::fill(offsets.cells.values(), masked_value);
  for (Index r = 0; r < from.rows; ++r)
    for (Index c = 0; c < from.columns; ++c) offsets.cells[(r + down) * columns + c + right] = from.at(r, c);
  return offsets;
}

}  // namespace headlight::app
