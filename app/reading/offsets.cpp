#include "app/reading/offsets.h"

#include <algorithm>

namespace headlight::app {

Result<Offsets> offsets_of(const Slice& keys, Index query) {
  const MatrixView& from = keys.matrix;
  if (is_window(keys)) {
    Offsets window{Tensor({from.rows, from.columns}), -(from.rows / 2), -(from.columns / 2)};
    for (Index r = 0; r < from.rows; ++r)
      for (Index c = 0; c < from.columns; ++c) window.cells[r * from.columns + c] = from.at(r, c);
    return window;
  }
  const Axis* queries = keys.step->axis("n_q");
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
