// The matrix that a picture of a step shows: what of it is looked at, as rows and columns.
//
// Works for every step and source alike: pairs of queries and keys, activations (B, n, d), weights (M, d, d'), and
// positions that lie on a picture's grid, which are shown as that picture.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/picture/matrix.h"
#include "engine/trace/trace.h"

namespace headlight::app {

// What a mask adds to a score where it hides the key.
inline bool is_minus_infinity(double value) {
  return std::isinf(value) && value < 0;
}

// What is selected, by the meaning of the axis rather than by the picture: the same selection lights up in every step.
struct Selection {
  std::optional<Index> query = {};
  std::optional<Index> key = {};
  std::optional<Index> channel = {};
  std::optional<Index> side_query = {}, side_key = {};  // rows or columns of a picture, in a table of its sides
  bool operator==(const Selection&) const = default;
};

// Which of a step's matrices is shown.
struct Focus {
  Index batch = 0, head = 0;
  Index frame = 0;  // of what is shown as a picture
  Selection selection = {};
  bool flat = false;  // pairs as one large matrix, even where positions lie on a grid
};

struct Slice {
  const Step* step = nullptr;
  MatrixView matrix;
  const Axis* rows = nullptr;  // null for a single row; a picture's are "row" and "column"
  const Axis* columns = nullptr;
  Index offset = 0;  // flat position of the first cell

  // Where rows and columns are those of a picture: which positions they are, and on which grid.
  Role positions = Role::none;  // query or key; none where it is no picture
  Grid grid;
  Index frame = 0;
  Index item = 0;  // of the batch, whose words its rows and columns have

  bool of_sides = false;  // rows of a picture by its rows, or columns by columns

  bool is_picture() const { return positions != Role::none; }
  Index cell_at(Index row, Index column) const;
};

// What the numbers of an item of the batch lie between; the item is clamped to those that there are.
const Extent& extent_of_item(const Step& step, Index batch);

// Extents of the batch and head axes; 1 where the step has none.
Index batches_of(const Step& step);
Index heads_of(const Step& step);
bool has_heads(const Step& step);
// How many heads of the run those are for: more than there are, where several share one.
Index heads_served(const Step& step);
// Where a head of the run stands among them, and the first head of the run that stands at a place.
Index place_of_head(const Step& step, Index head);
Index first_head_at(const Step& step, Index place);

// Batch, head and frame are clamped to what the step has; a selection that it does not have counts as the first.
//
// Positions on a grid of more than one row or frame are shown as a picture: the keys of the selected query where the
// step has pairs, else all positions of the selected channel. Other steps of pairs show queries down and keys across,
// and any other the last two axes.
Slice slice_of(const Step& step, const Focus& focus);

// The axis of a step that a slice shows one position of and that is no batch, head, query, key or frame: a channel, of
// which the selection chooses. Null where there is none.
const Axis* chosen_channel_axis(const Step& step, const Focus& focus);

// The selected row and column, where they are in the slice.
std::optional<Index> selected_row(const Slice& slice, const Selection& selection);
std::optional<Index> selected_column(const Slice& slice, const Selection& selection);
// The selection moved to that cell.
Selection selection_at(const Slice& slice, Index row, Index column, Selection from);

// The same for one axis, by its role.
std::optional<Index> selected_along(const Axis* axis, const Selection& selection);
Selection selection_with(const Axis* axis, Index position, Selection selection);

// Those who ask in a run: the map's queries, else those of the first step that has any, heads first. Null without.
const Axis* queries_of(const Trace& trace);

// Frames of the positions that a picture of this step shows; 1 where there are none.
Index frames_of(const Step& step);

// The query in the middle of a step's picture, who asks until another is chosen; nothing where queries lie on no grid.
std::optional<Index> middle_query(const Step& step);

// Whether its keys lie in a window round the query rather than at places of their own.
bool is_window(const Slice& keys);

// "12×64": the extents of one picture.
std::string picture_shape(const Step& step);

// What positions are called in one item of a batch: its own words where items have them.
const std::vector<std::string>& labels_of_item(const Axis& axis, Index item);
// The axis with those as its labels.
Axis named_as_in(Index item, Axis axis);
// "cat" of an axis position in an item of a batch, "4, 7" on a picture's grid, "t2 4, 7" in a video, "9" where there
// are no labels.
std::string label_of(const Axis* axis, Index position, Index item);
// The item of the batch that a cell of a step belongs to; 0 where the step has no batch.
Index item_of(const Step& step, Index cell);

// Whether its positions are those of a picture or a video: on a grid of more than one row or frame.
bool is_on_picture(const Axis& axis);

// Whether the label of each position is its number, as a signal's samples are named.
bool labels_are_numbers(const Axis& axis);

// Whether positions have names of their own: words, not places of a picture or numbers.
bool has_names(const Axis& axis);

}  // namespace headlight::app
