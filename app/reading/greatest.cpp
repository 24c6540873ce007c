#include "app/reading/greatest.h"

#include <cmath>

namespace headlight::app {

namespace {

void raise(Greatest& greatest, const MatrixView& cells, Index row, Index column) {
  const float value = cells.at(row, column);
  if (!std::isfinite(value) || (greatest.found && std::abs(value) <= std::abs(greatest.value))) return;
  greatest = {row, column, value, true, 0};
}

}  // namespace

Greatest greatest_of(const MatrixView& cells, bool off_diagonal) {
  Greatest greatest;
  for (Index r = 0; r < cells.rows; ++r)
    for (Index c = 0; c < cells.columns; ++c)
      if (!off_diagonal || r != c) raise(greatest, cells, r, c);
  for (Index r = 0; greatest.found && r < cells.rows; ++r)
    for (Index c = 0; c < cells.columns; ++c)
      greatest.cells += (!off_diagonal || r != c) && cells.at(r, c) == greatest.value;
  return greatest;
}

}  // namespace headlight::app
