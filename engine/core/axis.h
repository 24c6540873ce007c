// What an axis of a tensor means: the paper's symbol, a name for people, and a label for each position where there is
// one.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight {

// The part that something plays in attention. The window gives each its colour and letter badge.
enum class Role { none, query, key, value, score, weight, output, position, mask };

// Positions that were flattened row-major (frame, row, column) keep their grid beside the axis.
struct Grid {
  Index frames = 1;
  Index rows = 1;
  Index columns = 1;
};

// "4, 7": row and column of a position; "t2 4, 7" where there are frames.
inline std::string place_of(const Grid& grid, Index position) {
  const Index column = position % grid.columns, row = position / grid.columns % grid.rows,
              frame = position / grid.columns / grid.rows;
  return grid.frames > 1 ? fmt::format("t{} {}, {}", frame, row, column) : fmt::format("{}, {}", row, column);
}

struct Axis {
  std::string symbol;  // "n_q"
  std::string name;    // "query"
  Index size = 0;
  std::vector<std::string> labels = {};  // one a position, or none
  std::optional<Grid> grid = {};
  Role role = Role::none;
  std::optional<Index> only = {};  // the one position that was computed, of those on the grid; the size is then 1
  bool window = false;             // positions are places round the query: each query has others there
  std::string index = {};          // LaTeX: how formulas count it, "\hl{n_k}{j}"; empty for heads and channels
  std::string other_index = {};    // and where they count a second time: "\hl{n_k}{t}"
};

}  // namespace headlight
