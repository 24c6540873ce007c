// What an axis of a tensor means: the paper's symbol, a name for people, and a label for each position where there is
// one.
#pragma once

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

struct Axis {
  std::string symbol;  // "n_q"
  std::string name;    // "query"
  Index size = 0;
  std::vector<std::string> labels = {};  // one a position, or none
  std::optional<Grid> grid = {};
  Role role = Role::none;
};

}  // namespace headlight
