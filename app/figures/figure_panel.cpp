#include "app/figures/figure_panel.h"

#include <algorithm>

#include "app/reading/axis_match.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// Whether rows and columns change places: long tables of weights lie down.
bool is_transposed(const StepView& view) {
  return view.step->info.kind == Kind::weight && view.slice.matrix.rows > 4 * view.slice.matrix.columns;
}

std::vector<CellPlace> selected_cell(const StepView& view) {
  const Slice& slice = view.slice;
  const Selection& selection = view.focus.selection;
  const auto row = slice.rows ? selected_row(slice, selection) : std::optional<Index>(0);
  const auto column = selected_column(slice, selection);
  if (!row || !column) return {};
  return {{*row, *column}};
}

// The picture under a panel whose cells are positions of one, keys of a query or those who ask for a key.
const Pictures* pictures_under(const StepView& view) {
  if (!view.slice.is_picture()) return nullptr;
  const bool asking = view.slice.positions == Role::query;
  if (asking && view.step->info.role != Role::weight) return nullptr;
  return pictures_of_positions(*view.problem, view.step->axis(asking ? AxisRole::query : AxisRole::key));
}

void add_picture(Panel& panel, const StepView& view, const Pictures& pictures) {
  const Slice& slice = view.slice;
  const auto last = static_cast<Index>(pictures.cells.size()) - 1;
  const auto at =
      static_cast<std::size_t>(std::clamp<Index>(slice.grid.frames > 1 ? slice.frame : view.focus.batch, 0, last));
  const Image& cells = pictures.cells[at];
  panel.kind = PanelKind::picture;
  panel.picture = std::make_shared<const Image>(pictures.fine.empty() ? cells : pictures.fine[at]);
  panel.picture_grid = {1, cells.height, cells.width};
  if (is_window(slice)) {
    const Index query = view.focus.selection.query.value_or(0) % (cells.height * cells.width);
    panel.place = {query / cells.width - slice.grid.rows / 2, query % cells.width - slice.grid.columns / 2, 1, 1};
    return;
  }
  panel.place.block_rows = std::max<Index>(1, cells.height / slice.grid.rows);
  panel.place.block_columns = std::max<Index>(1, cells.width / slice.grid.columns);
}

// The query's cell of the picture, or the window round it, where it lies there on the frame that is shown.
std::optional<CellPlace> query_mark(const Panel& panel, const StepView& view) {
  const Slice& slice = view.slice;
  const Index rows = panel.picture_grid.rows, columns = panel.picture_grid.columns, all = rows * columns;
  auto query = view.focus.selection.query;
  const Axis* queries = view.step->axis(AxisRole::query);
  if (!query || !queries || !share_a_picture(*view.problem, *queries, *view.step->axis(AxisRole::key)))
    return std::nullopt;
  if (queries->placed) {  // who asks beside the picture has no cell on it
    if (!queries->placed->holds(*query)) return std::nullopt;
    query = *query - queries->placed->offset;
  }
  if (slice.grid.frames > 1 && *query / all != slice.frame) return std::nullopt;
  if (!is_window(slice)) return CellPlace{*query % all / columns, *query % columns};
  const Index top = std::max<Index>(0, panel.place.row), left = std::max<Index>(0, panel.place.column);
  return CellPlace{top, left, std::min(rows, panel.place.row + slice.grid.rows) - top,
                   std::min(columns, panel.place.column + slice.grid.columns) - left};
}

// That, and the key's cell where it is selected; in a video each on its own frame.
void mark_on_picture(Panel& panel, const StepView& view) {
  const auto query = query_mark(panel, view);
  panel.query_marked = query.has_value();
  if (query) panel.highlights.push_back(*query);
  const auto row = selected_row(view.slice, view.focus.selection),
             column = selected_column(view.slice, view.focus.selection);
  if (!row || !column || panel.place.block_rows != 1) return;
  const CellPlace key{panel.place.row + *row, panel.place.column + *column};
  if (key.row >= 0 && key.column >= 0 && key.row < panel.picture_grid.rows && key.column < panel.picture_grid.columns)
    panel.highlights.push_back(key);
}

// The cells by where they lie from the query.
Status add_offsets(OwnedFigure& owned, Panel& panel, const StepView& view) {
  const Slice& slice = view.slice;
  if (slice.positions != Role::key || !view.step->axis(AxisRole::query))
    return fail("--as offsets needs a step of queries and keys on a grid: {} has none", view.step->info.id);
  if (!share_a_picture(*view.problem, *view.step->axis(AxisRole::query), *view.step->axis(AxisRole::key)))
    return fail("--as offsets: the keys of {} lie on another picture than the queries", view.step->info.id);
  Slice shown = slice;
  shown.matrix = panel.cells;
  const Index query = view.focus.selection.query.value_or(0);
  HL_TRY(Offsets offsets, offsets_of(shown, query));
  panel.first_row = offsets.first_row;
  panel.first_column = offsets.first_column;
  if (const auto at = selected_cell(view); view.focus.selection.key && !at.empty()) {
    const Index columns = view.step->axis(AxisRole::query)->grid->columns,
                rows = view.step->axis(AxisRole::query)->grid->rows;
    const bool window = is_window(slice);
    const Index down = window ? 0 : rows - 1 - query % (rows * columns) / columns;
    const Index right = window ? 0 : columns - 1 - query % columns;
    panel.highlights = {{at.front().row + down, at.front().column + right}};
  }
  auto cells = std::make_shared<const Tensor>(std::move(offsets.cells));
  panel.cells = matrix_at(*cells, {});
  panel.numbers = {};
  owned.cells.push_back(std::move(cells));
  return {};
}

// Tables of offsets are numbered as they count, and long ones lie down.
bool is_offsets(const Axis* axis) {
  return axis && role_along(*axis) == AxisRole::offset;
}
void name_positions(Panel& panel, const StepView& view) {
  SpanLabels spans = span_labels(*view.trace, view.slice);
  panel.row_labels = std::move(spans.rows);
  panel.column_labels = std::move(spans.columns);
  const Axis *rows = view.slice.rows, *columns = view.slice.columns;
  if (is_transposed(view)) {
    panel.cells = transposed(panel.cells);
    std::swap(rows, columns);
  }
  if (is_offsets(rows)) panel.first_row = -(rows->size / 2);
  if (is_offsets(columns)) panel.first_column = -(columns->size / 2);
  const auto name = [&](std::vector<std::string>& labels, const Axis* axis) {
    if (axis && !is_offsets(axis) && labels.empty()) labels = labels_of_item(*axis, view.focus.batch);
  };
  name(panel.row_labels, rows);
  name(panel.column_labels, columns);
}

// Where the cells' queries and keys lie on a grid, as the window says it. `first` is the panel's first row.
auto places_of(const StepView& view, Index first) -> decltype(Panel::places) {
  const Step* step = view.step;
  const auto on_grid = [](const Axis* axis) { return axis && axis->grid && axis->labels.empty(); };
  const Axis* asked = step->axis(AxisRole::key);
  const Axis* asking = step->axis(AxisRole::query);
  const bool queries = on_grid(asking), keys = on_grid(asked) || (asked && asked->position_of && asking);
  if (!queries && !keys) return {};
  return [trace = view.trace, step, slice = view.slice, first, queries, keys](Index row, Index column) {
    const Index cell = slice.cell_at(first + row, column);
    std::pair<std::string, std::string> places;
    if (queries && !slice.is_picture()) places.first = query_text(*step, cell);
    if (!keys) return places;
    const auto at = index_at_flat(step->tensor().shape(), cell);
    const auto axis = static_cast<std::size_t>(step->axis(AxisRole::key) - step->info.axes.data());
    const std::string place = key_place(*trace, *step, at[axis], query_of(*step, cell), slice.item).in_full();
    const bool down = !slice.is_picture() && slice.rows && slice.rows == &step->info.axes[axis];
    (down ? places.first : places.second) = place;
    return places;
  };
}

MatrixView kept_cells(OwnedFigure& owned, const StepView& view) {
  std::shared_ptr<const Tensor> owner;
  const MatrixView cells = cells_of(*view.trace, view.slice, view.focus, owner);
  if (owner) owned.cells.push_back(std::move(owner));
  return cells;
}

// Of weights whose −∞ marks what is hidden.
Tensor with_zeros(const MatrixView& cells) {
  Tensor numbers = Tensor::uninitialized({cells.rows, cells.columns});
  for (Index r = 0; r < cells.rows; ++r)
    for (Index c = 0; c < cells.columns; ++c)
      numbers[r * cells.columns + c] = is_masked(cells.at(r, c)) ? 0 : cells.at(r, c);
  return numbers;
}

}  // namespace

std::pair<AxisName, AxisName> panel_axes(const StepView& view, const FigureRequest& request) {
  if (request.kind == FigureKind::offsets)
    return {{.name = "row offset", .role = Role::position}, {.name = "column offset", .role = Role::position}};
  if (is_window(view.slice))
    return {{.name = "window row", .role = Role::key}, {.name = "window column", .role = Role::key}};
  const auto named = [](const Axis* axis) {
    return axis ? AxisName{.name = axis->name, .role = axis->role} : AxisName();
  };
  std::pair<AxisName, AxisName> axes{named(view.slice.rows), named(view.slice.columns)};
  if (is_transposed(view)) std::swap(axes.first, axes.second);
  return axes;
}

Status shape_panel(OwnedFigure& owned, Panel& panel, const StepView& view, const FigureRequest& request) {
  const Slice& slice = view.slice;
  const Pictures* pictures = pictures_under(view);
  if (request.kind == FigureKind::picture && !pictures)
    return fail("--as picture needs a step of queries and keys on a picture that was given: {} has none",
                view.step->info.id);
  if (request.kind == FigureKind::offsets) return add_offsets(owned, panel, view);
  if (pictures && (request.kind == FigureKind::picture || request.kind == FigureKind::automatic)) {
    add_picture(panel, view, *pictures);
    panel.places = places_of(view, 0);
    if (view.slice.positions == Role::key && view.step->axis(AxisRole::query))  // keys alone are nobody's
      mark_on_picture(panel, view);
    return {};
  }
  name_positions(panel, view);
  const Index row = request.kind == FigureKind::bars ? row_of_bars(view) : 0;
  if (!is_transposed(view)) panel.places = places_of(view, row);
  if (request.kind == FigureKind::lines) panel.kind = PanelKind::lines;
  if (request.kind == FigureKind::lines && request.query && slice.rows)
    panel.solid_row = selected_row(slice, view.focus.selection);
  if (request.key && panel.kind == PanelKind::map && request.kind != FigureKind::bars)
    panel.highlights = selected_cell(view);
  const Axis* keys = view.step->axis(AxisRole::key);
  panel.other_keys = keys && keys->position_of && view.step->axis(AxisRole::query);
  if (keys && slice.is_picture() && !is_window(slice)) {
    const KeyPlace one = key_place(*view.trace, *view.step, 0, view.focus.selection.query, slice.item);
    panel.place.block_rows = one.rows;
    panel.place.block_columns = one.columns;
  }
  if (request.kind != FigureKind::bars) return {};
  if (panel.other_keys)
    for (Index j = 0; j < panel.cells.columns; ++j)
      panel.column_labels.push_back(
          key_place(*view.trace, *view.step, j, query_of(*view.step, view.slice.cell_at(row, j)), slice.item).at);
  panel.kind = PanelKind::bars;
  for (MatrixView* cells : {&panel.cells, &panel.numbers}) {
    cells->data += row * cells->row_stride;
    cells->rows = std::min<Index>(cells->rows, 1);
  }
  if (!panel.row_labels.empty()) panel.row_labels = {panel.row_labels[static_cast<std::size_t>(row)]};
  return {};
}

namespace {

// Of keys of windows what is taken away stands at the key of the same pixel.
MatrixView at_its_keys(OwnedFigure& owned, const PanelPlan& plan, const MatrixView& taken) {
  const Slice &from = plan.minus->slice, &to = plan.view.slice;
  if (!are_places_of_windows(from.rows, from.columns) || !are_places_of_windows(to.rows, to.columns)) return taken;
  if (!match(from.rows, from.item, to.rows, to.item)) return taken;
  MovedCells moved = moved_to(*to.rows, *from.columns, *to.columns, taken);
  owned.left_out += moved.left_out;
  owned.cells.push_back(std::make_shared<const Tensor>(std::move(moved.cells)));
  return matrix_at(*owned.cells.back(), {});
}

}  // namespace

Status add_cells(OwnedFigure& owned, Panel& panel, const PanelPlan& plan) {
  const StepView& view = plan.view;
  const bool weights = view.step->info.kind == Kind::probability;
  panel.cells = kept_cells(owned, view);
  const auto keep = [&](Tensor&& numbers) {
    owned.cells.push_back(std::make_shared<const Tensor>(std::move(numbers)));
    return matrix_at(*owned.cells.back(), {});
  };
  const auto numbers_of = [&](const StepView& of) {
    const MatrixView numbers = of.slice.matrix;
    return of.step->info.minus_infinity_masks ? keep(with_zeros(numbers)) : numbers;
  };
  if (weights) panel.numbers = numbers_of(view);
  if (!plan.minus) return {};
  const MatrixView cells = panel.cells, other = at_its_keys(owned, plan, kept_cells(owned, *plan.minus));
  if (other.rows != cells.rows || other.columns != cells.columns)
    return fail("--minus: {} is {} × {} and what is taken away {} × {}: they must be of one size", view.step->info.id,
                cells.rows, cells.columns, other.rows, other.columns);
  panel.cells = keep(subtracted(cells, other, weights));
  if (!weights) return {};
  const Index left_out = owned.left_out;  // counted once
  panel.numbers = keep(subtracted(panel.numbers, at_its_keys(owned, plan, numbers_of(*plan.minus)), true));
  owned.left_out = left_out;
  return {};
}

}  // namespace headlight::app
