// What an axis of a tensor means: the paper's symbol, a name for people, what it runs along, and a label for each
// position where there is one. Whoever shows numbers asks what an axis runs along, never for its symbol.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// The part that something plays in attention. The window gives each its colour and letter badge.
enum class Role { none, query, key, value, score, weight, output, position, mask };

// What an axis runs along.
enum class AxisRole {
  unset,  // whatever the symbol says
  channel,
  batch,
  head,
  query,
  key,
  place,  // positions that are neither asked nor asking: what keys are pooled from
  frame,
  row,
  column,
  sample,  // of a signal
  offset,  // how far a key lies from its query
  one,     // nothing: the extent is one by definition
};

// What a symbol that all variants share stands for; channels for any other.
AxisRole role_of_symbol(std::string_view symbol);
// The symbol of such; empty for channels.
std::string_view symbol_of(AxisRole role);
// Whether it counts positions: those of the inputs, or what grows with them.
bool counts_positions(AxisRole role);

// Positions that were flattened row-major (frame, row, column) keep their grid beside the axis.
struct Grid {
  Index frames = 1;
  Index rows = 1;
  Index columns = 1;
  bool operator==(const Grid&) const = default;
};

// "4, 7": row and column of a position; "t2 4, 7" where there are frames.
inline std::string place_of(const Grid& grid, Index position) {
  const Index column = position % grid.columns, row = position / grid.columns % grid.rows,
              frame = position / grid.columns / grid.rows;
  return grid.frames > 1 ? fmt::format("t{} {}, {}", frame, row, column) : fmt::format("{}, {}", row, column);
}

// Positions of which some lie on a grid, row by row from `offset` on, and the others beside it.
struct PlacedGrid {
  Grid grid;
  Index offset = 0;
  bool holds(Index position) const {
    return position >= offset && position < offset + grid.frames * grid.rows * grid.columns;
  }
};

struct Axis {
  std::string symbol;  // "n_q"
  std::string name;    // "query"
  Index size = 0;
  std::vector<std::string> labels = {};  // one a position, or none
  std::optional<Grid> grid = {};
  Role role = Role::none;
  AxisRole along = AxisRole::unset;  // filled by the recorder where the variant says nothing
  std::optional<Index> only = {};    // the one position that was computed, of those on the grid; the size is then 1
  Index shared_by = 1;               // of heads: so many consecutive ones of the run have each position in common
  bool window = false;               // positions are places round the query: each query has others there
  std::string index = {};            // LaTeX: how formulas count it, "\hl{n_k}{j}"; empty for heads and channels
  std::string other_index = {};      // and where they count a second time: "\hl{n_k}{t}"
  std::optional<PlacedGrid> placed = {};  // where `grid` is none: some of the positions lie on one
  // Of keys that are the places of a window, another for each query: which position of the queries' grid one is.
  std::function<Index(Index query, Index key)> position_of = {};
  // Labels that somebody gave, one list for each item of a batch: two are the same token where they are the same text.
  std::vector<std::vector<std::string>> given_labels = {};
};

// Where a head of the run lies along an axis of heads: query heads in groups may share one of keys and values.
Index place_of_head(const Axis& axis, Index head);

// What it runs along: as it says, else as its symbol does, else as its role.
AxisRole role_along(const Axis& axis);

}  // namespace headlight
