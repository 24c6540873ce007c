// Keys that are the places of a window, of two runs: which one of the other lies on the same pixel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/axis.h"
#include "engine/picture/matrix.h"
#include "engine/trace/trace.h"

namespace headlight::app {

struct PixelPartners {
  Index first_query = 0, keys = 0;  // the query of the first row
  std::vector<std::int32_t> at;     // (queries, keys): a key of the other run, −1 where none of that query lies there

  std::optional<Index> in_row(Index row, Index key) const;
  std::optional<Index> of(Index query, Index key) const { return in_row(query - first_query, key); }
};

// Whether keys of a step lie at other places of the grid for each of these queries.
bool are_places_of_windows(const Axis* queries, const Axis* keys);
bool has_places_of_windows(const Step& map);
// Whether a step is seen on a picture, as its own positions or as the keys of one query.
bool is_seen_on_picture(const Step& step);
// The one of a query that lies at that place of the grid, if it has one there.
std::optional<Index> key_at_place(const Step& map, Index query, Index place);

// Such a map, (…, n_q, n_k) → (…, n_q, places), each key at its place of the grid; −∞ where a query has none or does
// not see it. `query` is the only one that is kept, of all where it is none.
Step keys_on_grid(const Trace& trace, const Step& map, std::optional<Index> query);

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
