#include "engine/picture/rasterizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/picture/heatmap_constants.h"

namespace headlight {

namespace {

constexpr Index in_gap = -1;

// For each pixel along one side of the map the cell it lies in, or in_gap.
std::vector<Index> cells_at_pixels(Index cells, Index pixels, Index gap) {
  const auto cell_at = [&](Index pixel) { return (2 * pixel + 1) * cells / (2 * pixels); };
  std::vector<Index> at(static_cast<std::size_t>(pixels));
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const Index cell = cell_at(pixel);
    const bool gap_here = gap > 0 && cell + 1 < cells && cell_at(pixel + gap) != cell;
    at[static_cast<std::size_t>(pixel)] = gap_here ? in_gap : cell;
  }
  return at;
}

int scaled_period(double scale) {
  return 2 * std::max(2, static_cast<int>(std::lround(hatch_period_px * scale / 2)));
}

HeatmapStyle with_lengths(HeatmapStyle style, double scale) {
  style.period = scaled_period(scale);
  style.hatch_width = hatch_width_px * static_cast<float>(scale);
  style.stripe_width = stripe_width_px * static_cast<float>(scale);
  style.gap = std::max<Index>(1, std::lround(gap_px * scale));
  return style;
}

}  // namespace

HeatmapStyle light_heatmap_style(double scale) {
  HeatmapStyle style;
  style.canvas = light_canvas;
  style.hatch_line = light_hatch_line;
  style.hatch_ground = light_hatch_ground;
  style.stripe_line = light_stripe_line;
  style.stripe_ground = light_stripe_ground;
  return with_lengths(style, scale);
}

HeatmapStyle dark_heatmap_style(double scale) {
  HeatmapStyle style;
  style.canvas = dark_canvas;
  style.hatch_line = dark_hatch_line;
  style.hatch_ground = dark_hatch_ground;
  style.stripe_line = dark_stripe_line;
  style.stripe_ground = dark_stripe_ground;
  return with_lengths(style, scale);
}

Index gap_for_cells(double cell_width, double cell_height, double scale) {
  if (std::min(cell_width, cell_height) < least_cell_with_gap_px * scale) return 0;
  return std::max<Index>(1, std::lround(gap_px * scale));
}

float line_coverage(Index phase, int period, float thickness) {
  const float distance =
      std::abs(static_cast<float>(phase) - 0.5F * static_cast<float>(period)) * (1.0F / std::numbers::sqrt2_v<float>);
  return std::clamp(0.5F * thickness + 0.5F - distance, 0.0F, 1.0F);
}

Color cell_color(float value, Index x, Index y, Normalisation normalise, const ColorTable& table,
                 const HeatmapStyle& style) {
  if (is_masked(value)) {
    return mixed(style.hatch_ground, style.hatch_line,
                 line_coverage((x + y) % style.period, style.period, style.hatch_width));
  }
  if (is_broken(value)) {
    const Index phase = ((x - y) % style.period + style.period) % style.period;
    return mixed(style.stripe_ground, style.stripe_line, line_coverage(phase, style.period, style.stripe_width));
  }
  return color_at(table, normalise(value));
}

void draw_heatmap(Image& image, PixelRect rect, const MatrixView& cells, const ValueRange& range,
                  const ColorTable& table, const HeatmapStyle& style) {
  if (cells.empty() || rect.width <= 0 || rect.height <= 0) return;
  const auto columns = cells_at_pixels(cells.columns, rect.width, style.gap);
  const auto rows = cells_at_pixels(cells.rows, rect.height, style.gap);
  const Normalisation normalise = normalisation(range);
  const Index first_x = std::max<Index>(0, -rect.x);
  const Index last_x = std::min(rect.width, image.width - rect.x);
  const Index last_y = std::min(rect.height, image.height - rect.y);
  for (Index y = std::max<Index>(0, -rect.y); y < last_y; ++y) {
    const Index row = rows[static_cast<std::size_t>(y)];
    for (Index x = first_x; x < last_x; ++x) {
      const Index column = columns[static_cast<std::size_t>(x)];
      const Color color = row == in_gap || column == in_gap
                              ? style.canvas
                              : cell_color(cells.at(row, column), x, y, normalise, table, style);
      image.set(rect.x + x, rect.y + y, color);
    }
  }
}

}  // namespace headlight
