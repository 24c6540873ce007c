#include "app/reading/edit_moved.h"

#include "app/reading/edits_offered.h"

namespace headlight::app {

namespace {

// How many places there are along an axis; of one query that was computed, all.
Index places_of(const Axis& axis) {
  return axis.only ? std::max(axis.size, *axis.only + 1) : axis.size;
}

std::size_t axis_at(const Step& step, const Axis* axis) {
  return axis ? static_cast<std::size_t>(axis - step.info.axes.data()) : step.info.axes.size();
}

// The axes of an edit that are shown as rows and as columns: a picture's are none of them.
struct Ways {
  std::size_t rows, columns;
};

std::optional<Ways> ways_of(const Step& step, const Focus& focus) {
  const Slice slice = slice_of(step, focus);
  if (slice.is_picture()) return std::nullopt;
  return Ways{axis_at(step, slice.rows), axis_at(step, slice.columns)};
}

bool moves_key(const Edit& edit) {
  return edit.make == Edit::Make::one_hot;
}

bool holds(const Edit& edit, const Step& step, Index cell) {
  const Edit place = edit_of_cell(step, cell, 0);
  for (std::size_t i = 0; i < edit.at.size() && i < place.at.size(); ++i)
    if (edit.at[i] && (place.at[i]->first < edit.at[i]->first || place.at[i]->first > edit.at[i]->last)) return false;
  return true;
}

// Whether it stands at some places of that axis alone.
bool is_part(const Edit& edit, std::size_t axis) {
  return axis < edit.at.size() && edit.at[axis];
}

Result<std::optional<Span>> moved_along(const Axis& axis, const std::optional<Span>& at, Index by) {
  if (by == 0) return at;
  if (!at) return fail("it is of all places along {}", axis.name);
  if (by < -at->first || by > places_of(axis) - 1 - at->last)
    return fail("it would leave the map, which has {} 0 to {}", axis.name, places_of(axis) - 1);
  return Span{at->first + by, at->last + by};
}

}  // namespace

std::optional<Index> edit_to_move(const Step& step, const Focus& focus, std::span<const Edit> edits) {
  const auto ways = ways_of(step, focus);
  const auto cell = cell_looked_at(step, focus);
  if (!ways || !cell) return std::nullopt;
  for (std::size_t i = edits.size(); i-- > 0;) {
    const Edit& edit = edits[i];
    if (edit.array != step.info.id || !holds(edit, step, *cell)) continue;
    if (is_part(edit, ways->rows) || is_part(edit, ways->columns) || moves_key(edit)) return static_cast<Index>(i + 1);
  }
  return std::nullopt;
}

Result<Edit> edit_moved(const Step& step, const Focus& focus, const Edit& edit, Index rows, Index columns) {
  if (edit.array != step.info.id) return fail("it is of {}, another step than the one that is shown", edit.array);
  const auto ways = ways_of(step, focus);
  if (!ways) return fail("{} is shown as a picture: show it as a matrix", step.info.title);
  Edit moved = edit;
  moved.at.resize(step.info.axes.size());
  const auto& axes = step.info.axes;
  if (ways->rows < axes.size()) {
    HL_TRY(moved.at[ways->rows], moved_along(axes[ways->rows], moved.at[ways->rows], rows));
  }
  if (ways->columns >= axes.size()) return moved;
  if (moves_key(edit)) {
    const Index last = places_of(axes[ways->columns]) - 1;
    if (columns < -edit.key || columns > last - edit.key)
      return fail("it would leave the map, which has key 0 to {}", last);
    moved.key += columns;
    return moved;
  }
  HL_TRY(moved.at[ways->columns], moved_along(axes[ways->columns], moved.at[ways->columns], columns));
  return moved;
}

}  // namespace headlight::app
