#include "app/page/cells.h"

#include <algorithm>

#include "engine/picture/heatmap_constants.h"
#include "engine/picture/overlay.h"

namespace headlight {

namespace {

struct Cell {
  CellLook look = CellLook::value;
  Color color;
  friend bool operator==(const Cell&, const Cell&) = default;
};

Cell cell_of(float value, Normalisation normalise, const ColorTable& table) {
  if (is_masked(value)) return {CellLook::masked, light_hatch_ground};
  if (is_broken(value)) return {CellLook::broken, light_stripe_ground};
  return {CellLook::value, color_at(table, normalise(value))};
}

}  // namespace

std::vector<CellRun> runs_of(const MapItem& map, const ColorTable& table) {
  const Normalisation normalise = normalisation(map.range);
  std::vector<CellRun> runs;
  for (Index row = 0; row < map.cells.rows; ++row) {
    for (Index column = 0; column < map.cells.columns; ++column) {
      const Cell cell = cell_of(map.cells.at(row, column), normalise, table);
      if (column > 0 && !map.gaps && Cell{runs.back().look, runs.back().color} == cell)
        ++runs.back().length;
      else
        runs.push_back({row, column, 1, cell.look, cell.color});
    }
  }
  return runs;
}

bool any_has(const std::vector<CellRun>& runs, CellLook look) {
  return std::ranges::find(runs, look, &CellRun::look) != runs.end();
}

Box box_of(const MapItem& map, const CellRun& run) {
  const double width = map.cell_width(), height = map.cell_height();
  const bool gap_right = map.gaps && run.column + run.length < map.cells.columns;
  const bool gap_below = map.gaps && run.row + 1 < map.cells.rows;
  return {map.box.x + static_cast<double>(run.column) * width, map.box.y + static_cast<double>(run.row) * height,
          static_cast<double>(run.length) * width - (gap_right ? gap_points : 0),
          height - (gap_below ? gap_points : 0)};
}

PictureSize picture_size(const MapItem& map) {
  if (map.picture) return {map.picture->width, map.picture->height};
  return {map.cells.columns, map.cells.rows};
}

Image image_of(const MapItem& map, const ColorTable& table, Index factor) {
  if (map.picture) return enlarged(*map.picture, map.picture->width * factor, map.picture->height * factor);
  const Normalisation normalise = normalisation(map.range);
  Image image{map.cells.columns * factor, map.cells.rows * factor, {}};
  const auto row_bytes = static_cast<std::size_t>(4 * image.width);
  image.rgba.resize(row_bytes * static_cast<std::size_t>(image.height));
  for (Index row = 0; row < map.cells.rows; ++row) {
    const Index top = row * factor;
    for (Index column = 0; column < map.cells.columns; ++column) {
      const Color color = cell_of(map.cells.at(row, column), normalise, table).color;
      for (Index x = column * factor; x < (column + 1) * factor; ++x) image.set(x, top, color);
    }
    const auto first = image.rgba.begin() + static_cast<std::ptrdiff_t>(row_bytes) * top;
    for (Index y = 1; y < factor; ++y)
      std::copy_n(first, row_bytes, first + static_cast<std::ptrdiff_t>(row_bytes) * y);
  }
  return image;
}

std::vector<Segment> hatching(const Box& map, CellLook look) {
  constexpr double period = hatch_period_px * hatch_scale;
  std::vector<Segment> lines;
  for (double along = period / 2; along < map.width + map.height; along += period) {
    // From the left or lower side to the upper or right one, `along` the sum of both distances from the corner.
    const auto at = [&](double across) {
      const double down = along - across;
      return Point{map.x + across, map.y + (look == CellLook::masked ? down : map.height - down)};
    };
    lines.push_back({at(std::max(0.0, along - map.height)), at(std::min(along, map.width))});
  }
  return lines;
}

Color hatch_color(CellLook look) {
  return look == CellLook::masked ? light_hatch_line : light_stripe_line;
}

double hatch_width(CellLook look) {
  return static_cast<double>(look == CellLook::masked ? hatch_width_px : stripe_width_px) * hatch_scale;
}

}  // namespace headlight
