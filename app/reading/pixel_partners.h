// Keys that are the places of a window, of two runs: which one of the other lies on the same pixel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/axis.h"
#include "engine/picture/matrix.h"

namespace headlight::app {

struct PixelPartners {
  Index first_query = 0, keys = 0;  // the query of the first row
  std::vector<std::int32_t> at;     // (queries, keys): a key of the other run, −1 where none of that query lies there

  std::optional<Index> in_row(Index row, Index key) const;
  std::optional<Index> of(Index query, Index key) const { return in_row(query - first_query, key); }
};

// Whether keys of a step lie at other places of the grid for each of these queries.
bool are_places_of_windows(const Axis* queries, const Axis* keys);

// For each key of `from` the one of `to`. Both are places of windows of the same queries.
PixelPartners partners_by_pixel(const Axis& queries, const Axis& from, const Axis& to);

// `cells` (queries, keys of `from`) by the keys of `to`, masked where there is none; and how many numbers have no place
// there.
struct MovedCells {
  Tensor cells;
  Index left_out = 0;
};
MovedCells moved_to(const Axis& queries, const Axis& from, const Axis& to, const MatrixView& cells);

}  // namespace headlight::app
