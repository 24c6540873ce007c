#include "engine/variants/position_grid.h"

#include <fmt/format.h>

namespace headlight {

Grid position_grid(const ParamValues& params, const Symbols& symbols) {
  const auto extent = [&](const char* symbol) { return symbols.find(symbol)->second; };
  switch (params.integer("dimension")) {
    case 1:
      return {.columns = extent("L")};
    case 2:
      return {.rows = extent("H"), .columns = extent("W")};
    default:
      return {.frames = extent("T"), .rows = extent("H"), .columns = extent("W")};
  }
}

Grid pooled_cell(const ParamValues& params) {
  if (!params.flag("sub_sample")) return {};
  return {.rows = params.integer("dimension") == 1 ? 1 : 2, .columns = 2};
}

Grid key_grid(const ParamValues& params, const Symbols& symbols) {
  const Grid grid = position_grid(params, symbols), cell = pooled_cell(params);
  return {grid.frames / cell.frames, grid.rows / cell.rows, grid.columns / cell.columns};
}

Index count(const Grid& grid) {
  return grid.frames * grid.rows * grid.columns;
}

std::string grid_text(const Grid& grid, Index dimension) {
  if (dimension == 1) return fmt::format("{}", grid.columns);
  if (dimension == 2) return fmt::format("{} × {}", grid.rows, grid.columns);
  return fmt::format("{} × {} × {}", grid.frames, grid.rows, grid.columns);
}

}  // namespace headlight
