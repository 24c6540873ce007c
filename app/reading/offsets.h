// The keys of one query on a picture, by where they lie from it.
#pragma once

#include <optional>
#include <string>

#include "app/reading/slice.h"

namespace headlight::app {

// A picture of keys around a query: how far the first row and column lie from it.
struct Offsets {
  Tensor cells;  // (rows, columns); masked_value where no key lies so far from this query
  Index first_row = 0;
  Index first_column = 0;
};

// Positions that meet the query by two tables of vectors, one for each offset in rows and one in columns, of half the
// channels each.
struct RelativeTables {
  const Step* rows = nullptr;  // (offsets, channels)
  const Step* columns = nullptr;
  const Step* scores = nullptr;  // what they give: the first scores that read positions
};
std::optional<RelativeTables> relative_tables(const Trace& trace);

// "row" or "col" of such a table, and of what was gathered from it for each pair; empty of any other step.
std::string side_of(const Trace& trace, const Step& step);

// Where the keys of a step lie at places of the queries' own grid, or in a window around each query. The slice must be
// a picture of keys. Over a whole picture of H × W cells: (2H − 1, 2W − 1), the query in the middle. In a window: the
// window. Errors: keys that are pooled lie on another grid.
Result<Offsets> offsets_of(const Slice& keys, Index query);

}  // namespace headlight::app
