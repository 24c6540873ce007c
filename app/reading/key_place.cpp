#include "app/reading/key_place.h"

#include <algorithm>
#include <cstdlib>

namespace headlight::app {

std::string signed_text(Index number) {
  return fmt::format("{}{}", number < 0 ? "−" : "", std::abs(number));
}

namespace {

// The grid of the queries: the step's own, else that of the run's pairs.
std::optional<Grid> query_grid(const Trace& trace, const Step& step) {
  if (const Axis* own = step.axis(AxisRole::query); own && own->grid) return own->grid;
  for (const Step& other : trace.steps)
    if (const Axis* axis = other.axis(AxisRole::query); axis && axis->grid) return axis->grid;
  return std::nullopt;
}

KeyPlace in_window(const Grid& window, const Grid& queries, Index key, std::optional<Index> query) {
  const Index down = key / window.columns - window.rows / 2, right = key % window.columns - window.columns / 2;
  KeyPlace place{.at = fmt::format("{}, {}", offset_text(down), offset_text(right))};
  if (!query) return place;
  const Index pixel = *query % (queries.rows * queries.columns);
  place.row = pixel / queries.columns + down;
  place.column = pixel % queries.columns + right;
  const bool row_out = place.row < 0 || place.row >= queries.rows,
             column_out = place.column < 0 || place.column >= queries.columns;
  place.outside = row_out || column_out;
  place.pixel = fmt::format("pixel {}, {}", place.row, place.column);
  if (place.outside)
    place.pixel =
        fmt::format("outside the picture, {}{}{}", row_out ? "row " + signed_text(place.row) : "",
                    row_out && column_out ? ", " : "", column_out ? "column " + signed_text(place.column) : "");
  return place;
}

}  // namespace

std::string offset_text(Index offset) {
  return offset > 0 ? fmt::format("+{}", offset) : signed_text(offset);
}

SpanLabels span_labels(const Trace& trace, const Slice& keys) {
  if (keys.positions != Role::key || is_window(keys)) return {};
  const KeyPlace one = key_place(trace, *keys.step, 0, {}, keys.item);
  if (one.rows * one.columns == 1) return {};
  SpanLabels labels;
  for (Index r = 0; r < keys.grid.rows; ++r) labels.rows.push_back(span_text(r * one.rows, one.rows));
  for (Index c = 0; c < keys.grid.columns; ++c) labels.columns.push_back(span_text(c * one.columns, one.columns));
  return labels;
}

std::string name_along(const Trace& trace, const Step& step, const Axis* axis, Index position,
                       std::optional<Index> query, Index item) {
  return axis && axis->position_of ? key_place(trace, step, position, query, item).at : label_of(axis, position, item);
}

std::string cell_in_words(const Trace& trace, const Slice& slice, Index row, Index column, const Selection& selected,
                          const char* between) {
  const Selection cell = selection_at(slice, row, column, selected);
  if (slice.positions == Role::key && cell.key)
    return key_place(trace, *slice.step, *cell.key, selected.query, slice.item).at;
  return fmt::format("{}{}{}", label_of(slice.rows, row, slice.item), slice.is_picture() ? ", " : between,
                     name_along(trace, *slice.step, slice.columns, column, cell.query, slice.item));
}

std::string span_text(Index first, Index count) {
  return count > 1 ? fmt::format("{}–{}", first, first + count - 1) : fmt::format("{}", first);
}

KeyPlace key_place(const Trace& trace, const Step& step, Index key, std::optional<Index> query, Index item) {
  const Axis* axis = step.axis(AxisRole::key);
  if (!axis) return {.at = fmt::format("{}", key)};
  const auto queries = query_grid(trace, step);
  if (axis->position_of && queries && query) {
    const Index position = axis->position_of(*query, key);
    return {
        .at = place_of(*queries, position), .row = position / queries->columns, .column = position % queries->columns};
  }
  const bool plane = is_on_picture(*axis);  // places go before names
  if (!axis->grid || (!plane && !axis->labels.empty())) return {.at = label_of(axis, key, item), .column = key};
  const Grid& grid = *axis->grid;
  if (!plane) {  // a signal, whose keys may stand for several samples
    const Index samples = queries ? std::max<Index>(1, queries->columns / grid.columns) : 1;
    return {.at = span_text(key * samples, samples), .column = key * samples, .columns = samples};
  }
  if (axis->window && queries) return in_window(grid, *queries, key, query);
  KeyPlace place{.at = label_of(axis, key, item)};
  place.rows = queries ? std::max<Index>(1, queries->rows / grid.rows) : 1;
  place.columns = queries ? std::max<Index>(1, queries->columns / grid.columns) : 1;
  place.frame = key / (grid.rows * grid.columns);
  place.row = key / grid.columns % grid.rows * place.rows;
  place.column = key % grid.columns * place.columns;
  if (place.rows * place.columns > 1)
    place.at = fmt::format("{}{}, {}", grid.frames > 1 ? fmt::format("t{} ", place.frame) : "",
                           span_text(place.row, place.rows), span_text(place.column, place.columns));
  return place;
}

std::optional<Index> query_of(const Step& step, Index cell) {
  const auto at = index_at_flat(step.tensor().shape(), cell);
  for (std::size_t i = 0; i < at.size() && i < step.info.axes.size(); ++i)
    if (const Axis& axis = step.info.axes[i]; role_along(axis) == AxisRole::query || axis.role == Role::query)
      return axis.only ? *axis.only : at[i];
  return std::nullopt;
}

std::string query_text(const Step& step, Index cell) {
  const auto query = query_of(step, cell);
  const Axis* axis = step.axis(AxisRole::query);
  if (!query || !axis) return fmt::format("{}", cell / std::max<Index>(1, step.tensor().dim(-1)));
  return is_on_picture(*axis) ? place_of(*axis->grid, *query) : fmt::format("{}", *query);
}

std::string operand_in_words(const Operand& operand, const Trace& trace, Index item) {
  const Step* step = trace.find(operand.array);
  if (!step) return operand.label;
  std::string words = step->info.title;
  const auto at = index_at_flat(step->tensor().shape(), operand.cell);
  for (std::size_t i = 0; i < at.size() && i < step->info.axes.size(); ++i) {
    const Axis& axis = step->info.axes[i];
    if (axis.size < 2) continue;
    if (role_along(axis) == AxisRole::head)
      words += fmt::format(", {} {}", axis.name.empty() ? "head" : axis.name, at[i]);
    else if (axis.role == Role::key)
      words +=
          fmt::format(", {} {}", axis.name, key_place(trace, *step, at[i], query_of(*step, operand.cell), item).at);
    else
      words += fmt::format(", {} {}", axis.name, label_of(&axis, at[i], item));
  }
  return words;
}

std::string input_of_positions(const Problem& problem, const Axis* positions) {
  for (const ArraySpec& input : problem.specs.inputs)
    if (positions && !input.shapes.empty() && std::ranges::count(input.shapes.front(), positions->symbol) > 0)
      return input.id;
  return problem.specs.inputs.empty() ? "" : problem.specs.inputs.front().id;
}

const Pictures* pictures_of_positions(const Problem& problem, const Axis* positions) {
  const auto of = [&](const std::string& id) -> const Pictures* {
    const auto found = problem.pictures.find(id);
    return found == problem.pictures.end() || found->second->cells.empty() ? nullptr : found->second.get();
  };
  if (const Pictures* own = positions ? of(positions->symbol) : nullptr) return own;
  if (const Pictures* own = of(input_of_positions(problem, positions))) return own;
  const auto fits = [&](const Image& cells) {
    return !positions || !positions->grid || positions->window ||
           (cells.height % positions->grid->rows == 0 && cells.width % positions->grid->columns == 0);
  };
  for (const ArraySpec& input : problem.specs.inputs)
    if (const Pictures* other = of(input.id); other && fits(other->cells.front())) return other;
  return nullptr;
}

bool share_a_picture(const Problem& problem, const Axis& queries, const Axis& keys) {
  const auto grid_of = [](const Axis& axis) { return axis.placed ? axis.placed->grid : axis.grid.value_or(Grid{}); };
  const Grid asking = grid_of(queries), asked = grid_of(keys);
  if (asking.rows * asking.frames < 2 || asked.rows * asked.frames < 2) return false;
  if (keys.window) return true;
  const Pictures *under = pictures_of_positions(problem, &queries), *other = pictures_of_positions(problem, &keys);
  const std::string of_queries = input_of_positions(problem, &queries), of_keys = input_of_positions(problem, &keys);
  const bool one_input = of_queries == of_keys || problem.find(of_queries) == problem.find(of_keys);  // an alias
  const auto are_whole = [](Index places, Index pooled) { return pooled > 0 && places % pooled == 0; };
  return under == other && (under || one_input) && are_whole(asking.rows, asked.rows) &&
         are_whole(asking.columns, asked.columns);
}

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
    const auto read = trace.inputs_of(step);
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
