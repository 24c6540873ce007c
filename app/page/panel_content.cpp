#include "app/page/layout_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "app/page/cells.h"
#include "engine/picture/heatmap_constants.h"
#include "engine/picture/overlay.h"

namespace headlight::layout_parts {

namespace {

constexpr double least_cell_with_gap = 4;  // below it a gap would take too much of the cell
constexpr Color highlight_color = rgb(0xE58A00);
constexpr double highlight_width = 1.2;

// The least number of a row that is to be written in its cell, or its least magnitude.
float label_threshold(const Layout& layout, const MatrixView& cells, Index row, bool by_magnitude) {
  const auto count = static_cast<std::size_t>(layout.options.top_numbers);
  std::vector<float> values;
  for (Index column = 0; column < cells.columns; ++column) {
    const float value = cells.at(row, column);
    if (std::isfinite(value)) values.push_back(by_magnitude ? std::abs(value) : value);
  }
  if (layout.options.cell_numbers == CellNumbers::all || values.size() <= count) return masked_value;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count - 1), values.end(),
                   std::greater<>());
  return values[count - 1];
}

void place_numbers(Layout& layout, const Panel& panel, const MapItem& map) {
  const ColorTable table = color_table(colormap_of(layout.figure, panel));
  const Plan& plan = layout.plan;
  const ValueRange range = range_of(layout.figure, panel);
  for (Index row = 0; row < panel.cells.rows; ++row) {
    const float least = label_threshold(layout, panel.cells, row, range.is_signed());
    for (Index column = 0; column < panel.cells.columns; ++column) {
      const float value = panel.cells.at(row, column);
      if (is_masked(value) || is_broken(value) || (range.is_signed() ? std::abs(value) : value) < least) continue;
      const Point middle{map.box.x + (static_cast<double>(column) + 0.5) * plan.cell_width,
                         map.box.y + (static_cast<double>(row) + 0.5) * plan.cell_height};
      // Digits are as high as capitals: 0.73 of the size.
      add_text(layout, layout.fonts.set(Face::mono, plan.number_size, cell_text(value, range)),
               {middle.x, middle.y + 0.365 * plan.number_size},
               readable_text_on(color_at(table, normalise(map.cells.at(row, column), map.range))), Align::middle);
    }
  }
}

void place_highlights(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  for (const auto& [row, column, down, across] : panel.highlights) {
    const Box cell{map.x + static_cast<double>(column / plan.block.columns) * plan.cell_width,
                   map.y + static_cast<double>(row / plan.block.rows) * plan.cell_height,
                   plan.cell_width * static_cast<double>((across + plan.block.columns - 1) / plan.block.columns),
                   plan.cell_height * static_cast<double>((down + plan.block.rows - 1) / plan.block.rows)};
    const double w = snapped_down(layout, std::min(highlight_width, std::min(cell.width, cell.height) / 4));
    add_ring(layout, cell, w, highlight_color);
  }
}

// On a picture: a ring round the cells with a light one round it. Small cells get a larger one, to be seen, but none
// that hides much of the picture. The query, then the key.
void place_marks(Layout& layout, const Panel& panel, const Box& picture) {
  const double least = std::min(5.0, std::min(picture.width, picture.height) / 16);
  const double thick = std::min(1.0, least / 4), halo = 0.6 * thick;
  const Extents cells = extents_of(panel);
  const double width = picture.width / static_cast<double>(cells.columns),
               height = picture.height / static_cast<double>(cells.rows);
  Role role = panel.query_marked ? Role::query : Role::key;
  for (const auto& [row, column, down, across] : panel.highlights) {
    const double wide = std::max(least, width * static_cast<double>(across)) + 2 * thick,
                 high = std::max(least, height * static_cast<double>(down)) + 2 * thick;
    const double x = picture.x + (static_cast<double>(column) + static_cast<double>(across) / 2) * width - wide / 2,
                 y = picture.y + (static_cast<double>(row) + static_cast<double>(down) / 2) * height - high / 2;
    add_ring(layout, {x - halo, y - halo, wide + 2 * halo, high + 2 * halo}, thick + 2 * halo, rgb(0xFFFFFF));
    add_ring(layout, {x, y, wide, high}, thick, role_color(role));
    role = Role::key;
  }
}

// The ground over masked cells, a piece for each run of them.
void blank_masked(Layout& layout, const MapItem& map) {
  const MatrixView& cells = map.cells;
  const double width = map.cell_width(), height = map.cell_height();
  for (Index row = 0; row < cells.rows; ++row)
    for (Index column = 0; column < cells.columns;) {
      Index end = column;
      while (end < cells.columns && is_masked(cells.at(row, end))) ++end;
      if (end > column)
        layout.page.fills.push_back(
            {{map.box.x + static_cast<double>(column) * width, map.box.y + static_cast<double>(row) * height,
              static_cast<double>(end - column) * width, height},
             rgb(0xFFFFFF)});
      column = std::max(end, column + 1);
    }
}

void place_map(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  const ValueRange range = range_of(layout.figure, panel);
  const bool gaps = layout.options.grid && std::min(plan.cell_width, plan.cell_height) >= least_cell_with_gap;
  MapItem item{map, panel.cells, nullptr, spacing_range(range), gaps, colormap_of(layout.figure, panel)};
  const auto own = [&item](Tensor&& cells) {
    item.owned = std::make_shared<const Tensor>(std::move(cells));
    item.cells = matrix_at(*item.owned, {});
  };
  if (range.spacing != Spacing::linear) own(apply_spacing(item.cells, range));
  if (!plan.block.single()) own(pooled(item.cells, plan.block, pooling(range)));
  layout.page.maps.push_back(item);
  if (layout.figure.blank_masked) blank_masked(layout, item);
  add_frame(layout, map);
  place_highlights(layout, panel, map);
  if (plan.number_size > 0) place_numbers(layout, panel, item);
}

// Cells over a picture that show no number, as hatching does over a map; the picture stays seen below. Blank ones hide
// it.
struct PictureCells {
  const Panel& panel;
  Extents grid;  // of the picture

  // The number of the cell at a point of the picture, from 0 to 1 both ways; none beside the cells.
  std::optional<float> at(double across, double down) const {
    const auto row = static_cast<Index>(std::floor(down * static_cast<double>(grid.rows))) - panel.place.row,
               column = static_cast<Index>(std::floor(across * static_cast<double>(grid.columns))) - panel.place.column;
    const Index r = row / panel.place.block_rows, c = column / panel.place.block_columns;
    if (row < 0 || column < 0 || r >= panel.cells.rows || c >= panel.cells.columns) return std::nullopt;
    return panel.cells.at(r, c);
  }
  bool looks(double across, double down, CellLook look) const {
    const auto value = at(across, down);
    return value && (look == CellLook::masked ? is_masked(*value) : is_broken(*value));
  }
};

void pale_masked(Image& picture, const PictureCells& cells, bool blank) {
  const Color ground = blank ? light_canvas : light_hatch_ground;
  const auto mixed = [blank](std::uint8_t from, std::uint8_t to) {
    return blank ? to : static_cast<std::uint8_t>((from + to) / 2);
  };
  for (Index y = 0; y < picture.height; ++y)
    for (Index x = 0; x < picture.width; ++x) {
      const double across = (static_cast<double>(x) + 0.5) / static_cast<double>(picture.width),
                   down = (static_cast<double>(y) + 0.5) / static_cast<double>(picture.height);
      if (!cells.looks(across, down, CellLook::masked)) continue;
      const Color c = picture.at(x, y);
      picture.set(x, y, {mixed(c.r, ground.r), mixed(c.g, ground.g), mixed(c.b, ground.b), 255});
    }
}

// The parts of the hatching's lines that lie over such cells, cut where they cross the picture's grid.
void hatch_picture(Layout& layout, const PictureCells& cells, const Box& box, CellLook look) {
  for (const auto& [from, to] : hatching(box, look)) {
    const double wide = (to.x - from.x) / box.width, high = (to.y - from.y) / box.height,
                 left = (from.x - box.x) / box.width, top = (from.y - box.y) / box.height;
    std::vector<double> cuts{0, 1};
    const auto cut = [&cuts](double begin, double length, Index count) {
      for (Index i = 1; i < count; ++i)
        if (const double t = (static_cast<double>(i) / static_cast<double>(count) - begin) / length; t > 0 && t < 1)
          cuts.push_back(t);
    };
    cut(left, wide, cells.grid.columns);
    cut(top, high, cells.grid.rows);
    std::ranges::sort(cuts);
    const Point begin = from, end = to;
    const auto point = [&](double t) {
      return Point{begin.x + t * (end.x - begin.x), begin.y + t * (end.y - begin.y)};
    };
    std::optional<double> begun;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const double middle = (cuts[i] + cuts[i + 1]) / 2;
      const bool over = cells.looks(left + middle * wide, top + middle * high, look), last = i + 2 == cuts.size();
      if (over && !begun) begun = cuts[i];
      if (begun && (!over || last)) {
        layout.page.lines.push_back(
            {point(*begun), point(over ? cuts[i + 1] : cuts[i]), hatch_width(look), hatch_color(look)});
        begun.reset();
      }
    }
  }
}

void place_picture(Layout& layout, const Panel& panel, const Box& box) {
  const ColorTable table = color_table(colormap_of(layout.figure, panel));
  const ValueRange range = range_of(layout.figure, panel);
  const Tensor values = apply_spacing(panel.cells, range);
  const Image grey = greyed(*panel.picture, false);
  const Index rows = panel.picture_grid.rows > 0 ? panel.picture_grid.rows : grey.height,
              columns = panel.picture_grid.rows > 0 ? panel.picture_grid.columns : grey.width;
  auto picture = std::make_shared<Image>(
      overlaid(grey, rows, columns, matrix_at(values, {}), panel.place, spacing_range(range), table));
  const PictureCells cells{panel, {rows, columns}};
  pale_masked(*picture, cells, layout.figure.blank_masked);
  const MatrixView size{nullptr, picture->height, picture->width, 0, 1};
  layout.page.maps.push_back({box, size, nullptr, {0, 1}, false, {}, std::move(picture)});
  if (!layout.figure.blank_masked) hatch_picture(layout, cells, box, CellLook::masked);
  hatch_picture(layout, cells, box, CellLook::broken);
  add_frame(layout, box);
  place_marks(layout, panel, box);
}

// The numbers of the scale at the left of bars.
void place_bar_ticks(Layout& layout, const Box& box, const ValueRange& range) {
  const double size = tick_size(layout);
  const double width = snapped_down(layout, line_width);
  for (const ScaleTick& tick : scale_ticks(range)) {
    const double y = box.y + (1 - tick.part) * box.height;
    layout.page.fills.push_back({{box.x - tick_length, snapped(layout, y - width / 2), tick_length, width}, text_2});
    add_text(layout, layout.fonts.set(Face::mono, size, tick.text),
             {box.x - tick_length - 1.5, y + middle_above_baseline * size}, text_2, Align::right);
  }
}

// From zero, where the scale has it, to each number; hatched where masked.
void place_bars(Layout& layout, const Panel& panel, const Box& box, bool ticks) {
  const ValueRange of = range_of(layout.figure, panel);
  const ValueRange range = spacing_range(of);
  const ColorTable table = color_table(colormap_of(layout.figure, panel));
  const Block block{1, layout.plan.block.columns};
  const Tensor values = pooled(matrix_at(apply_spacing(panel.cells, of), {}), block, pooling(of));
  const double pitch = box.width / static_cast<double>(values.size());
  const auto height = [&](float value) {
    return box.height * std::clamp(static_cast<double>(normalise(value, range)), 0.0, 1.0);
  };
  for (Index i = 0; i < values.size(); ++i) {
    const double x = box.x + static_cast<double>(i) * pitch;
    if (is_masked(values[i]) && layout.figure.blank_masked) continue;
    if (is_masked(values[i]) || is_broken(values[i])) {
      auto cell = std::make_shared<Tensor>(Shape{1, 1});
      (*cell)[0] = values[i];
      layout.page.maps.push_back({{x, box.y, pitch, box.height}, matrix_at(*cell, {}), cell, {0, 1}, false});
      continue;
    }
    const double foot = height(std::max(0.0F, range.low)), head = height(values[i]);
    const float t = range.is_signed() ? normalise(values[i], range) : 0.75F;
    layout.page.fills.push_back(
        {{x + 0.1 * pitch, box.y + box.height - std::max(foot, head), 0.8 * pitch, std::abs(head - foot)},
         color_at(table, t)});
  }
  add_frame(layout, box);
  if (ticks) place_bar_ticks(layout, box, of);
}

// The columns' labels, at the right ends of the lines.
void place_line_ends(Layout& layout, const Panel& panel, const Box& box) {
  const double size = layout.plan.label_size;
  const double pitch = box.height / static_cast<double>(panel.cells.columns);
  const Index step = label_step(pitch, size, panel.column_labels.empty());
  note_labels(layout.page.column_labels_step, panel.column_labels, step);
  for (Index column = 0; column < panel.cells.columns; column += step) {
    const double middle = box.y + (static_cast<double>(column) + 0.5) * pitch;
    add_text(layout,
             layout.fonts.set_within(box.width + 0.01, Face::regular, size, label_at(panel.column_labels, column)),
             {box.x, middle + middle_above_baseline * size}, panel.column_labels.empty() ? text_2 : text_1);
  }
}

// Lines that are hardly there are left out: together they would only grey the panel.
void place_lines(Layout& layout, const Panel& panel, const Box& box) {
  constexpr float least = 0.02F;
  constexpr double faint = 0.25;  // of the strength of lines beside those of a query that is asked for
  const MatrixView& cells = panel.cells;
  const Plan& plan = layout.plan;
  const double row_pitch = box.height / static_cast<double>(cells.rows);
  const double column_pitch = box.height / static_cast<double>(cells.columns);
  const double widest = 0.4 * box.width;
  double names = 0;
  for (Index i = 0; i < cells.columns; ++i)
    names = std::max(
        names, layout.fonts.width_up_to(widest, Face::regular, plan.label_size, label_at(panel.column_labels, i)));
  names = std::min(names, widest);
  const double right = box.x + box.width - names - label_gap;
  const ValueRange range = range_of(layout.figure, panel);
  const Tensor values = apply_spacing(cells, range);
  for (Index row = 0; row < cells.rows; ++row) {
    for (Index column = 0; column < cells.columns; ++column) {
      const float value = values[row * cells.columns + column];
      const float strength = std::min(1.0F, overlay_strength(value, spacing_range(range)));
      if (strength < least) continue;
      LineItem line = line_between(layout, panel, {box.x, box.y + (static_cast<double>(row) + 0.5) * row_pitch},
                                   {right, box.y + (static_cast<double>(column) + 0.5) * column_pitch},
                                   static_cast<double>(strength), range.is_signed() && value < 0);
      if (panel.solid_row.value_or(row) != row) line.opacity *= faint;
      layout.page.lines.push_back(line);
    }
  }
  place_line_ends(layout, panel, {right + label_gap, box.y, names, box.height});
}

}  // namespace

void place_content(Layout& layout, const Panel& panel, const Box& box, bool ticks) {
  switch (panel.kind) {
    case PanelKind::map:
      return place_map(layout, panel, box);
    case PanelKind::picture:
      return place_picture(layout, panel, box);
    case PanelKind::bars:
      return place_bars(layout, panel, box, ticks);
    case PanelKind::lines:
      return place_lines(layout, panel, box);
  }
}

}  // namespace headlight::layout_parts
