#include "app/page/layout_parts.h"

#include <algorithm>
#include <cmath>

namespace headlight::layout_parts {

double snapped(const Layout& layout, double length) {
  return std::round(length / layout.grid) * layout.grid;
}

double snapped_down(const Layout& layout, double length) {
  return std::max(1.0, std::floor(length / layout.grid + 1e-6)) * layout.grid;
}

void add_text(Layout& layout, TextLine line, Point at, Color color, Align align, std::optional<LabelOf> label) {
  at.x -= line.width * align_factor(align);
  layout.page.texts.push_back({at, std::move(line), color, false, align, label});
}

void add_ring(Layout& layout, const Box& box, double width, Color color) {
  auto& fills = layout.page.fills;
  fills.push_back({{box.x, box.y, box.width, width}, color});
  fills.push_back({{box.x, box.y + box.height - width, box.width, width}, color});
  fills.push_back({{box.x, box.y + width, width, box.height - 2 * width}, color});
  fills.push_back({{box.x + box.width - width, box.y + width, width, box.height - 2 * width}, color});
}

void add_frame(Layout& layout, const Box& box) {
  const double w = snapped_down(layout, line_width);
  add_ring(layout, {box.x - w, box.y - w, box.width + 2 * w, box.height + 2 * w}, w, rgb(0xC4C4BD));
}

std::string label_at(const std::vector<std::string>& labels, Index position, Index first) {
  if (!labels.empty()) return display_text(labels[static_cast<std::size_t>(position)]);
  const Index number = first + position;
  return number < 0 ? fmt::format("−{}", -number) : fmt::format("{}", number);
}

Index first_label(Index step, Index first) {
  return (step - first % step) % step;
}

Colormap colormap_of(const Figure& figure, const Panel& panel) {
  return panel.colormap.value_or(figure.colormap);
}

ValueRange range_of(const Figure& figure, const Panel& panel) {
  const ValueRange range = panel.range ? *panel.range : figure.range;
  if (!is_signed(colormap_of(figure, panel))) return range;
  const float bound = std::max(std::abs(range.low), std::abs(range.high));
  return {-bound, bound, range.spacing};
}

double tick_size(const Layout& layout) {
  return std::max(layout.options.text_size - 1, layout.options.smallest_text);
}

LineItem line_between(const Layout& layout, const Panel& panel, Point from, Point to, double strength, bool negative) {
  const Color color = color_at(color_table(colormap_of(layout.figure, panel)), negative ? 0.25F : 0.75F);
  return {from, to, 0.4 + 1.2 * strength, color, strength};
}

Index label_step(double pitch, double label_size, bool numbered) {
  const auto least = static_cast<Index>(std::ceil(0.999 * label_pitch * label_size / pitch));
  if (!numbered) return least;
  for (Index power = 1;; power *= 10)
    for (const Index step : {power, 2 * power, 5 * power})
      if (step >= least) return step;
}

void note_labels(Index& kept, const std::vector<std::string>& labels, Index step) {
  if (!labels.empty()) kept = std::max(kept, step);
}

Color role_color(Role role) {
  if (role == Role::query) return rgb(0x1A5FCB);
  if (role == Role::key) return rgb(0xC03F0A);
  if (role == Role::value) return rgb(0x0A7350);
  return role == Role::output || role == Role::position ? rgb(0x0B6E83) : text_2;
}

Pooling pooling(const ValueRange& range) {
  return range.is_signed() ? Pooling::magnitude : Pooling::maximum;
}

Extents extents_of(const Panel& panel) {
  const MatrixView& cells = panel.cells;
  if (panel.kind == PanelKind::picture)
    return panel.picture_grid.rows > 0 ? Extents{panel.picture_grid.rows, panel.picture_grid.columns}
                                       : Extents{panel.picture->height, panel.picture->width};
  if (panel.kind == PanelKind::bars) return {std::clamp<Index>(cells.columns / 3, 4, 64), cells.columns};
  if (panel.kind == PanelKind::map) return {cells.rows, cells.columns};
  const Index side = std::max<Index>({cells.rows, cells.columns, 6});
  return {side, side};
}

Box map_box(const Layout& layout, Index index) {
  const Plan& plan = layout.plan;
  const Panel& panel = layout.figure.panels[static_cast<std::size_t>(index)];
  const auto column = static_cast<double>(index % plan.columns);
  const auto row = static_cast<double>(index / plan.columns);
  const double pitch_x = plan.map_width + plan.gap + (plan.rows_shared ? 0 : plan.left);
  const double pitch_y =
      plan.map_height + plan.bar_room + plan.below + plan.lower_titles + (plan.columns_shared ? 0 : plan.top);
  const auto cells = [](Index count, Index block) { return static_cast<double>((count + block - 1) / block); };
  return {snapped(layout, margin + plan.headings + plan.left + column * pitch_x),
          snapped(layout, margin + plan.header + plan.title_height + plan.top + row * pitch_y),
          plan.cell_width * cells(extents_of(panel).columns, plan.block.columns),
          plan.cell_height * cells(extents_of(panel).rows, plan.block.rows)};
}

bool has_scale_below(const Plan& plan) {
  return plan.bar == BarPlace::below || (plan.bar == BarPlace::beside && plan.bar_words.empty());
}

Box panel_block(const Layout& layout) {
  const Box first = map_box(layout, 0);
  double right = 0, bottom = 0;
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i) {
    const Box box = map_box(layout, i);
    right = std::max(right, box.x + box.width);
    bottom = std::max(bottom, box.y + box.height);
  }
  return {first.x, first.y, right - first.x, bottom - first.y};
}

}  // namespace headlight::layout_parts

namespace headlight {

bool is_clipped(const Figure& figure) {
  return std::ranges::any_of(figure.panels, [&](const Panel& panel) {
    const ValueRange range = panel.range.value_or(figure.range);
    const Extent extent = extent_of(panel.cells);
    if (extent.finite == 0 || range.spacing == Spacing::row_max) return false;
    const bool below = extent.least < range.low && !(range.spacing == Spacing::logarithmic && extent.least >= 0);
    return below || extent.greatest > range.high;
  });
}

}  // namespace headlight
