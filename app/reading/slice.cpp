#include "app/reading/slice.h"

#include <algorithm>

namespace headlight::app {

namespace {

// What of a selection is a place along an axis. Places that nobody asks from are picked like queries; what runs along
// no positions at all counts as channels.
using Along = std::optional<Index> Selection::*;
constexpr Along along_query = &Selection::query, along_key = &Selection::key, along_channel = &Selection::channel;

Along along(const Axis& axis) {
  const AxisRole role = role_along(axis);
  if (axis.role == Role::query || role == AxisRole::query || role == AxisRole::place) return along_query;
  return role == AxisRole::key ? along_key : along_channel;
}

bool runs_along(const Axis& axis, AxisRole role) {
  return role_along(axis) == role;
}

bool is_plane(const Axis& axis) {
  return axis.grid && (axis.grid->rows > 1 || axis.grid->frames > 1) &&
         axis.grid->frames * axis.grid->rows * axis.grid->columns == axis.size;
}

const Axis& picture_rows() {
  static const Axis axis{.symbol = "row", .name = "row"};
  return axis;
}
const Axis& picture_columns() {
  static const Axis axis{.symbol = "column", .name = "column"};
  return axis;
}

std::vector<Index> strides_of(const Step& step) {
  std::vector<Index> strides(step.info.axes.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * step.info.axes[i].size;
  return strides;
}

// Places of the axes that a picture is made of.
struct Layout {
  std::size_t rows = 0, columns = 0;
  std::optional<std::size_t> plane;  // both are the grid of this axis
  bool spatial = false;              // both are axes of space themselves: (…, H, W)
  bool of_sides = false;             // (H, H, …) or (W, W, …): what is gathered for each pair of rows or columns
};

std::optional<std::size_t> last_where(const Step& step, const auto& wanted) {
  for (std::size_t i = step.info.axes.size(); i-- > 0;)
    if (wanted(step.info.axes[i])) return i;
  return std::nullopt;
}

bool is_spatial(const Step& step) {
  const auto& axes = step.info.axes;
  return axes.size() >= 3 && runs_along(axes[axes.size() - 2], AxisRole::row) &&
         runs_along(axes.back(), AxisRole::column);
}

Layout lay_out(const Step& step, bool flat) {
  const auto& axes = step.info.axes;
  const std::size_t last = axes.empty() ? 0 : axes.size() - 1;
  Layout layout{.rows = last == 0 ? 0 : last - 1, .columns = last, .plane = {}, .spatial = is_spatial(step)};
  if (layout.spatial) return layout;
  const AxisRole side = axes.empty() ? AxisRole::channel : role_along(axes[0]);
  if (axes.size() == 3 && runs_along(axes[1], side) && (side == AxisRole::row || side == AxisRole::column)) {
    layout.rows = 0;
    layout.columns = 1;
    layout.of_sides = true;
    return layout;
  }
  const auto query = last_where(step, [](const Axis& a) { return along(a) == along_query; });
  const auto key = last_where(step, [](const Axis& a) { return along(a) == along_key; });
  if (query && key) {
    if (!flat && is_plane(axes[*key])) {
      layout.plane = key;
    } else {
      layout.rows = *query;
      layout.columns = *key;
    }
  } else if (!flat && query && is_plane(axes[*query])) {
    layout.plane = query;
  } else if (!flat && key && is_plane(axes[*key])) {
    layout.plane = key;
  }
  return layout;
}

// Where along an axis that is neither rows nor columns the slice lies.
Index fixed_at(const Axis& axis, const Focus& focus) {
  Index wanted = 0;
  if (runs_along(axis, AxisRole::batch))
    wanted = focus.batch;
  else if (runs_along(axis, AxisRole::head))
    wanted = headlight::place_of_head(axis, focus.head);
  else if (runs_along(axis, AxisRole::frame))
    wanted = focus.frame;
  else
    wanted = selected_along(&axis, focus.selection).value_or(0);
  return std::clamp<Index>(wanted, 0, axis.size - 1);
}

}  // namespace

Index Slice::cell_at(Index row, Index column) const {
  return offset + row * matrix.row_stride + column * matrix.column_stride;
}

const Extent& extent_of_item(const Step& step, Index batch) {
  return step.extents[static_cast<std::size_t>(std::clamp<Index>(batch, 0, std::ssize(step.extents) - 1))];
}

Index batches_of(const Step& step) {
  return step.extent(AxisRole::batch);
}
Index heads_of(const Step& step) {
  return step.extent(AxisRole::head);
}
bool has_heads(const Step& step) {
  return step.axis(AxisRole::head) != nullptr && step.info.axes.size() >= 2;
}

Index heads_served(const Step& step) {
  const Axis* heads = step.axis(AxisRole::head);
  return heads && has_heads(step) ? heads->size * heads->shared_by : 1;
}
Index place_of_head(const Step& step, Index head) {
  const Axis* heads = step.axis(AxisRole::head);
  return heads ? headlight::place_of_head(*heads, head) : 0;
}
Index first_head_at(const Step& step, Index place) {
  const Axis* heads = step.axis(AxisRole::head);
  return heads ? place * heads->shared_by : 0;
}

Slice slice_of(const Step& step, const Focus& focus) {
  Slice slice;
  slice.step = &step;
  slice.item = focus.batch;
  const auto& axes = step.info.axes;
  const auto strides = strides_of(step);
  const Layout layout = lay_out(step, focus.flat);
  const auto is_shown = [&](std::size_t i) {
    return layout.plane ? i == *layout.plane : i == layout.columns || (axes.size() > 1 && i == layout.rows);
  };
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (!is_shown(i)) slice.offset += fixed_at(axes[i], focus) * strides[i];
  if (layout.plane) {
    const Axis& axis = axes[*layout.plane];
    const Index stride = strides[*layout.plane];
    slice.positions = along(axis) == along_key ? Role::key : Role::query;
    slice.grid = *axis.grid;
    slice.frame = std::clamp<Index>(focus.frame, 0, slice.grid.frames - 1);
    slice.offset += slice.frame * slice.grid.rows * slice.grid.columns * stride;
    slice.rows = &picture_rows();
    slice.columns = &picture_columns();
    slice.matrix = MatrixView{step.tensor().data() + slice.offset, slice.grid.rows, slice.grid.columns,
                              slice.grid.columns * stride, stride};
    return slice;
  }
  slice.of_sides = layout.of_sides;
  slice.columns = axes.empty() ? nullptr : &axes[layout.columns];
  slice.rows = axes.size() > 1 ? &axes[layout.rows] : nullptr;
  if (layout.spatial) {
    slice.positions = Role::query;
    slice.grid = {step.extent(AxisRole::frame), slice.rows->size, slice.columns->size};
    slice.frame = std::clamp<Index>(focus.frame, 0, slice.grid.frames - 1);
  }
  slice.matrix = MatrixView{step.tensor().data() + slice.offset, slice.rows ? slice.rows->size : 1,
                            slice.columns ? slice.columns->size : 1, slice.rows ? strides[layout.rows] : 1,
                            slice.columns ? strides[layout.columns] : 1};
  return slice;
}

namespace {

std::optional<Index> picture_position(const Slice& slice, const Selection& selection) {
  const auto position = slice.positions == Role::key ? selection.key : selection.query;
  const Index plane = slice.grid.rows * slice.grid.columns;
  if (!position || *position / plane != slice.frame) return std::nullopt;
  return *position % plane;
}

// Of a table of sides; nothing where the selection is from a longer one.
std::optional<Index> side_position(std::optional<Index> side, Index count) {
  return side && *side < count ? side : std::nullopt;
}

}  // namespace

const Axis* chosen_channel_axis(const Step& step, const Focus& focus) {
  const auto& axes = step.info.axes;
  const Layout layout = lay_out(step, focus.flat);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool shown = layout.plane ? i == *layout.plane : i == layout.columns || i == layout.rows;
    const AxisRole role = role_along(axes[i]);
    const bool other = role == AxisRole::batch || role == AxisRole::head || role == AxisRole::frame ||
                       role == AxisRole::one || along(axes[i]) != along_channel;
    if (!shown && !other) return &axes[i];
  }
  return nullptr;
}

std::optional<Index> selected_row(const Slice& slice, const Selection& selection) {
  if (slice.of_sides) return side_position(selection.side_query, slice.matrix.rows);
  if (!slice.is_picture()) return selected_along(slice.rows, selection);
  const auto position = picture_position(slice, selection);
  return position ? std::optional(*position / slice.grid.columns) : std::nullopt;
}

std::optional<Index> selected_column(const Slice& slice, const Selection& selection) {
  if (slice.of_sides) return side_position(selection.side_key, slice.matrix.columns);
  if (!slice.is_picture()) return selected_along(slice.columns, selection);
  const auto position = picture_position(slice, selection);
  return position ? std::optional(*position % slice.grid.columns) : std::nullopt;
}

Selection selection_at(const Slice& slice, Index row, Index column, Selection from) {
  if (slice.of_sides) {
    from.side_query = row;
    from.side_key = column;
    return from;
  }
  if (!slice.is_picture()) return selection_with(slice.columns, column, selection_with(slice.rows, row, from));
  const Index position = (slice.frame * slice.grid.rows + row) * slice.grid.columns + column;
  (slice.positions == Role::key ? from.key : from.query) = position;
  return from;
}

std::optional<Index> selected_along(const Axis* axis, const Selection& selection) {
  if (!axis) return std::nullopt;
  if (axis->only) return selection.query == axis->only ? std::optional<Index>(0) : std::nullopt;
  std::optional<Index> position = selection.*along(*axis);
  // The first channel, where only a token was picked.
  if (along(*axis) == along_channel && !position && (selection.query || selection.key)) position = 0;
  return position && *position < axis->size ? position : std::nullopt;
}

Selection selection_with(const Axis* axis, Index position, Selection selection) {
  if (!axis) return selection;
  selection.*along(*axis) = axis->only.value_or(position);
  return selection;
}

const Axis* queries_of(const Trace& trace) {
  if (const Step* map = trace.map()) return map->axis(AxisRole::query);
  const Axis* found = nullptr;
  for (const Step& step : trace.steps)
    if (const Axis* axis = step.axis(AxisRole::query); axis && (!found || has_heads(step))) {
      found = axis;
      if (has_heads(step)) break;
    }
  return found;
}

Index frames_of(const Step& step) {
  const Slice slice = slice_of(step, {});
  return slice.is_picture() ? slice.grid.frames : 1;
}

std::optional<Index> middle_query(const Step& step) {
  const Axis* queries = step.axis(AxisRole::query);
  if (!queries || !queries->grid) return std::nullopt;
  if (queries->only) return queries->only;
  const Grid& grid = *queries->grid;
  return ((grid.frames / 2) * grid.rows + grid.rows / 2) * grid.columns + grid.columns / 2;
}

bool is_window(const Slice& keys) {
  const Axis* axis = keys.positions == Role::key ? keys.step->axis(AxisRole::key) : nullptr;
  return axis && axis->window;
}

std::string picture_shape(const Step& step) {
  const Slice slice = slice_of(step, {});
  const std::string shape = fmt::format("{}×{}", slice.matrix.rows, slice.matrix.columns);
  return slice.is_picture() && slice.grid.frames > 1 ? fmt::format("{}×{}", slice.grid.frames, shape) : shape;
}

bool is_on_picture(const Axis& axis) {
  return axis.grid && axis.grid->rows * axis.grid->frames > 1;
}

bool labels_are_numbers(const Axis& axis) {
  for (std::size_t i = 0; i < axis.labels.size(); ++i)
    if (axis.labels[i] != std::to_string(i)) return false;
  return true;
}

const std::vector<std::string>& labels_of_item(const Axis& axis, Index item) {
  const auto at = static_cast<std::size_t>(item);
  return item >= 0 && at < axis.given_labels.size() ? axis.given_labels[at] : axis.labels;
}

Axis named_as_in(Index item, Axis axis) {
  axis.labels = labels_of_item(axis, item);
  return axis;
}

std::string label_of(const Axis* axis, Index position, Index item) {
  if (axis && axis->only && axis->labels.empty()) return fmt::format("{}", *axis->only);
  if (axis && is_plane(*axis) && position >= 0) return place_of(*axis->grid, position);
  if (!axis) return fmt::format("{}", position);
  const auto& labels = labels_of_item(*axis, item);
  return position >= 0 && position < static_cast<Index>(labels.size()) ? labels[static_cast<std::size_t>(position)]
                                                                       : fmt::format("{}", position);
}

Index item_of(const Step& step, Index cell) {
  const auto at = index_at_flat(step.tensor().shape(), cell);
  for (std::size_t i = 0; i < at.size() && i < step.info.axes.size(); ++i)
    if (runs_along(step.info.axes[i], AxisRole::batch)) return at[i];
  return 0;
}

bool has_names(const Axis& axis) {
  return !labels_of_item(axis, 0).empty() && !is_on_picture(axis) && !labels_are_numbers(axis);
}

}  // namespace headlight::app
