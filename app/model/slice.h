// The matrix that a picture of a step shows: one batch item, one head, rows and columns.
//
// Works for every step and source: attention tensors (B, M, n_q, n_k), activations (B, n, d) and weights (M, d, d')
// alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/picture/matrix.h"
#include "engine/trace/trace.h"

namespace headlight::app {

// What is selected, by the meaning of the axis rather than by the picture: the same selection lights up in every step.
struct Selection {
  std::optional<Index> query;
  std::optional<Index> key;
  std::optional<Index> channel;
  bool operator==(const Selection&) const = default;
};

struct Slice {
  const Step* step = nullptr;
  MatrixView matrix;
  const Axis* rows = nullptr;  // null for a single row
  const Axis* columns = nullptr;
  Index offset = 0;  // flat position of the first cell

  Index cell_at(Index row, Index column) const;
};

// Extents of the batch and head axes; 1 where the step has none.
Index batches_of(const Step& step);
Index heads_of(const Step& step);
bool has_heads(const Step& step);

// batch and head are clamped to what the step has.
Slice slice_of(const Step& step, Index batch, Index head);

// The selected position along an axis, by its role: queries select rows of q, keys rows of k, channels columns of both.
std::optional<Index> selected_along(const Axis* axis, const Selection& selection);
// The same selection with this axis moved to `position`.
Selection selection_with(const Axis* axis, Index position, Selection selection);

// "(12, 64)", "3 · 12×8": the part of the shape that is one picture.
std::string picture_shape(const Step& step);

// "cat" of an axis position, "9" where it has no labels.
std::string label_of(const Axis* axis, Index position);

}  // namespace headlight::app
