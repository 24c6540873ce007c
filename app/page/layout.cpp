#include "app/page/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/page/layout_parts.h"

namespace headlight {

using namespace layout_parts;

namespace {

// ---- checks

Status check_options(const PageOptions& options) {
  const auto between = [](double value, double least, double most) { return value >= least && value <= most; };
  if (!between(options.width, 72, 7200) || !between(options.max_height, 72, 7200))
    return fail("page: {} × {} points: each side must be 72 to 7200", options.width, options.max_height);
  if (!between(options.pixels_per_inch, 36, 2400))
    return fail("page: {} pixels per inch: must be 36 to 2400", options.pixels_per_inch);
  if (!between(options.text_size, 2, 72) || !between(options.smallest_text, 2, options.text_size))
    return fail("page: text of {} points, smallest {}: must be 2 to 72, the smallest no larger than the other",
                options.text_size, options.smallest_text);
  constexpr double most_of_width = 1.0 / 9;
  if (options.text_size > options.width * most_of_width)
    return fail("page: text of {} points is too large for a page of {}: at most {:.3g}", options.text_size,
                options.width, options.width * most_of_width);
  if (options.top_numbers < 1) return fail("page: the top {} numbers of a row: at least 1", options.top_numbers);
  return {};
}

Status check_labels(const std::vector<std::string>& labels, Index positions, std::size_t panel, const char* side) {
  if (labels.empty() || static_cast<Index>(labels.size()) == positions) return {};
  return fail("figure: panel {} has {} {} but {} labels for them: give one each, or none", panel + 1, positions, side,
              labels.size());
}

Status check_range(const ValueRange& range) {
  const auto [low, high, spacing] = range;
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high))
    return fail("figure: a range from {} to {}: both must be finite, and the first less", low, high);
  if (spacing == Spacing::logarithmic && low <= 0)
    return fail("figure: a logarithmic range from {}: it must begin above 0", low);
  return {};
}

Status check_spacing(Colormap colormap, const ValueRange& range) {
  if (range.spacing != Spacing::logarithmic || !is_signed(colormap)) return {};
  return fail("figure: a logarithmic range has no middle for the signed colour map {}: choose another",
              to_string(colormap));
}

Status check_kind(const Panel& panel, std::size_t index) {
  if (panel.kind == PanelKind::bars && panel.cells.rows != 1)
    return fail("figure: panel {} has {} rows: bars show one", index + 1, panel.cells.rows);
  if (panel.kind != PanelKind::picture) return {};
  if (!panel.picture || panel.picture->rgba.empty()) return fail("figure: panel {} has no picture", index + 1);
  if (panel.place.block_rows < 1 || panel.place.block_columns < 1)
    return fail("figure: panel {} has cells of {}×{} pixels on its picture: at least 1×1", index + 1,
                panel.place.block_rows, panel.place.block_columns);
  if (panel.row_labels.empty() && panel.column_labels.empty()) return {};
  return fail("figure: panel {} is a picture, which has no labels", index + 1);
}

Status check_figure(const Figure& figure) {
  if (figure.panels.empty()) return fail("figure: nothing to draw: it has no panels");
  HL_CHECK(check_range(figure.range));
  HL_CHECK(check_spacing(figure.colormap, figure.range));
  const auto columns = static_cast<std::size_t>(figure.grid_columns);
  const auto rows = columns == 0 ? 0 : (figure.panels.size() + columns - 1) / columns;
  if ((!figure.column_titles.empty() && figure.column_titles.size() != columns) ||
      (!figure.row_titles.empty() && figure.row_titles.size() != rows))
    return fail("figure: {} titles of columns and {} of rows for {} × {} panels", figure.column_titles.size(),
                figure.row_titles.size(), rows, columns);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    if (panel.cells.empty()) return fail("figure: panel {} has no cells", i + 1);
    HL_CHECK(check_kind(panel, i));
    HL_CHECK(check_labels(panel.row_labels, panel.cells.rows, i, "rows"));
    HL_CHECK(check_labels(panel.column_labels, panel.cells.columns, i, "columns"));
    if (panel.range) {
      HL_CHECK(check_range(*panel.range));
      HL_CHECK(check_spacing(colormap_of(figure, panel), *panel.range));
    }
    for (const auto& [row, column, down, across] : panel.highlights) {
      const Extents cells =
          panel.kind == PanelKind::picture ? extents_of(panel) : Extents{panel.cells.rows, panel.cells.columns};
      if (row >= 0 && row + down <= cells.rows && column >= 0 && column + across <= cells.columns) continue;
      return fail("figure: panel {} has no cell at row {}, column {} to highlight", i + 1, row, column);
    }
  }
  return {};
}

// ---- placing

// Of the map that was placed last; what is no map has no ticks.
std::optional<LabelOf> label_of(const Layout& layout, const Panel& panel, bool of_row, Index position) {
  if (panel.kind != PanelKind::map) return std::nullopt;
  return LabelOf{layout.page.maps.size() - 1, of_row, position};
}

void place_row_labels(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  const bool lines = panel.kind == PanelKind::lines;
  const double pitch = lines ? map.height / static_cast<double>(panel.cells.rows)
                             : plan.cell_height / static_cast<double>(plan.block.rows);
  const Index step = label_step(pitch, plan.label_size, panel.row_labels.empty());
  const double limit = plan.left - label_gap + 0.01;
  note_labels(layout.page.row_labels_step, panel.row_labels, step);
  for (Index row = first_label(step, panel.first_row); row < panel.cells.rows; row += step) {
    const double middle = map.y + (static_cast<double>(row) + 0.5) * pitch;
    const std::string label = label_at(panel.row_labels, row, panel.first_row);
    add_text(layout, layout.fonts.set_within(limit, Face::regular, plan.label_size, label),
             {map.x - label_gap, middle + middle_above_baseline * plan.label_size},
             panel.row_labels.empty() ? text_2 : text_1, Align::right,
             label_of(layout, panel, true, row / plan.block.rows));
  }
}

void place_column_labels(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  const double pitch = plan.cell_width / static_cast<double>(plan.block.columns);
  const Index step = label_step(pitch, plan.label_size, panel.column_labels.empty());
  const double limit = plan.top - label_gap + 0.01;
  note_labels(layout.page.column_labels_step, panel.column_labels, step);
  for (Index column = first_label(step, panel.first_column); column < panel.cells.columns; column += step) {
    const double middle = map.x + (static_cast<double>(column) + 0.5) * pitch;
    TextLine line = layout.fonts.set_within(limit, Face::regular, plan.label_size,
                                            label_at(panel.column_labels, column, panel.first_column));
    layout.page.texts.push_back({{middle + middle_above_baseline * plan.label_size, map.y - label_gap},
                                 std::move(line),
                                 panel.column_labels.empty() ? text_2 : text_1,
                                 true,
                                 Align::left,
                                 label_of(layout, panel, false, column / plan.block.columns)});
  }
}

// Each above its own side of the lines.
void place_line_names(Layout& layout, const Box& map) {
  const double baseline = map.y - label_gap;
  const auto put = [&](const AxisName& axis, double right) {
    add_text(layout, axis_line(layout, axis, " ↓"), {right, baseline}, role_color(axis.role), Align::right);
  };
  put(layout.figure.row_axis, map.x - label_gap);
  put(layout.figure.column_axis, map.x + map.width);
}

void place_axis_names(Layout& layout, const Box& map, PanelKind kind) {
  if (kind == PanelKind::lines) return place_line_names(layout, map);
  const bool columns_only = kind == PanelKind::bars;
  const Plan& plan = layout.plan;
  const double right = map.x - label_gap - corner_reach(plan.label_size, plan.cell_width);
  const double baseline = map.y - label_gap - corner_reach(plan.label_size, plan.cell_height);
  add_text(layout, axis_line(layout, layout.figure.column_axis, " →"),
           {right, baseline - line_height * plan.label_size}, role_color(layout.figure.column_axis.role), Align::right);
  if (columns_only) return;
  add_text(layout, axis_line(layout, layout.figure.row_axis, " ↓"), {right, baseline},
           role_color(layout.figure.row_axis.role), Align::right);
}

void place_panel_title(Layout& layout, Index index, Point at, double room) {
  const Panel& panel = layout.figure.panels[static_cast<std::size_t>(index)];
  const double size = layout.plan.title_text;
  double x = at.x;
  if (!panel.mark.empty()) {
    TextLine mark = layout.fonts.set_within(room, Face::semibold, size, panel.mark);
    x += mark.width + mark_gap * size;
    add_text(layout, std::move(mark), at, text_1);
  }
  add_text(layout, layout.fonts.set_within(at.x + room - x, Face::regular, size, title_of(layout, index)), {x, at.y},
           text_1);
}

void place_panels(Layout& layout) {
  const Plan& plan = layout.plan;
  for (Index index = 0; index < static_cast<Index>(layout.figure.panels.size()); ++index) {
    const Panel& panel = layout.figure.panels[static_cast<std::size_t>(index)];
    const Box map = map_box(layout, index);
    const bool first_column = index % plan.columns == 0;
    const bool first_row = index < plan.columns;
    const bool labels_left = !plan.unlabelled && (first_column || !plan.rows_shared);
    const bool labels_above = !plan.unlabelled && (first_row || !plan.columns_shared);
    place_content(layout, panel, map, labels_left);
    if (labels_left && has_labels(panel, true)) place_row_labels(layout, panel, map);
    if (labels_above && has_labels(panel, false)) place_column_labels(layout, panel, map);
    if (index == 0 && !plan.unlabelled && panel.kind != PanelKind::picture) place_axis_names(layout, map, panel.kind);
    if (plan.own_bars && has_colors(panel)) {
      const Box bar{map.x, snapped(layout, map.y + map.height + own_bar_gap), map.width,
                    snapped(layout, own_bar_height)};
      place_bar(layout, bar, panel, (plan.below - tick_gap) / 2);
    }
    if (plan.title_height == 0) continue;
    const double title_baseline = map.y - (labels_above ? plan.top : 0) - 0.5 * layout.options.text_size;
    place_panel_title(layout, index, {map.x, title_baseline}, title_room(plan, index % plan.columns));
  }
}

// Every how many numbers stand where each has so much room.
std::size_t numbers_every(const Layout& layout, const std::vector<std::string>& numbers, double room) {
  double widest = layout.plan.label_size;
  for (const std::string& number : numbers)
    widest = std::max(widest, layout.fonts.set(Face::regular, layout.plan.label_size, number).width + tick_gap);
  return static_cast<std::size_t>(std::max(1.0, std::ceil(widest / room)));
}

// Of small maps: the number of each column above it, of each row at its left, and what they are in the corner.
void place_numbers(Layout& layout) {
  const Plan& plan = layout.plan;
  const Figure& figure = layout.figure;
  const double size = plan.label_size;
  const Box first = map_box(layout, 0);
  const double right = first.x - label_gap, foot = first.y - label_gap;
  add_text(layout, grid_name(layout, false), {right, foot - line_height * size}, text_2, Align::right);
  add_text(layout, grid_name(layout, true), {right, foot}, text_2, Align::right);
  const auto line = [&](const std::string& number) { return layout.fonts.set(Face::regular, size, number); };
  const std::size_t across = numbers_every(layout, figure.column_numbers, plan.map_width + plan.gap);
  for (std::size_t i = 0; i < figure.column_numbers.size(); i += across) {
    const Box map = map_box(layout, static_cast<Index>(i));
    add_text(layout, line(figure.column_numbers[i]), {map.x + map.width / 2, foot}, text_1, Align::middle);
  }
  const std::size_t down = plan.map_height + plan.below < size ? 2 : 1;
  for (std::size_t i = 0; i < figure.row_numbers.size(); i += down) {
    const Box map = map_box(layout, static_cast<Index>(i) * plan.columns);
    add_text(layout, line(figure.row_numbers[i]), {right, map.y + map.height / 2 + middle_above_baseline * size},
             text_1, Align::right);
  }
}

// Turned, at the left of each row of panels; of rows that are too thin for that, the numbers upright.
void place_row_titles(Layout& layout) {
  const Plan& plan = layout.plan;
  const Figure& figure = layout.figure;
  if (plan.unlabelled) return place_numbers(layout);
  const double size = layout.options.text_size;
  const auto room = [&](std::size_t row) {
    return map_box(layout, static_cast<Index>(row) * plan.columns).height + plan.lower_titles + plan.bar_room;
  };
  bool thin = false;
  for (std::size_t row = 0; row < figure.row_titles.size(); ++row)
    thin = thin || layout.fonts.set(Face::regular, size, figure.row_titles[row]).width > room(row);
  for (std::size_t row = 0; row < figure.row_titles.size(); ++row) {
    const Box map = map_box(layout, static_cast<Index>(row) * plan.columns);
    if (thin && row < figure.row_numbers.size()) {
      TextLine number = layout.fonts.set(Face::regular, std::min(size, room(row)), figure.row_numbers[row]);
      const Point at{margin + plan.headings / 2, map.y + map.height / 2 + middle_above_baseline * number.size};
      add_text(layout, std::move(number), at, text_1, Align::middle);
      continue;
    }
    TextLine line = layout.fonts.set_within(room(row), Face::regular, size, figure.row_titles[row]);
    const double foot = map.y + (map.height + line.width) / 2;
    layout.page.texts.push_back({{margin + 0.75 * size, foot}, std::move(line), text_1, true, Align::middle, {}});
  }
}

void place_header(Layout& layout) {
  const Plan& plan = layout.plan;
  const double baseline = margin + 0.85 * title_size(layout);
  add_text(layout, plan.title, {margin, baseline}, text_1);
  const Point at = plan.subtitle_below ? Point{margin, baseline + line_height * layout.options.text_size}
                                       : Point{margin + plan.title.width + title_gap, baseline};
  add_text(layout, plan.subtitle, at, text_2);
}

// Moves everything to the middle of a page that is as wide as was asked for.
void widen(Layout& layout) {
  Page& page = layout.page;
  const double shift = snapped(layout, (layout.options.width - page.width) / 2);
  for (MapItem& map : page.maps) map.box.x += shift;
  for (FillItem& fill : page.fills) fill.box.x += shift;
  for (LineItem& line : page.lines) {
    line.from.x += shift;
    line.to.x += shift;
  }
  for (TextItem& text : page.texts) text.origin.x += shift;
  page.width = layout.options.width;
}

}  // namespace

std::string thinning_note(const Figure& figure, const Page& page) {
  std::vector<std::string> parts;
  const auto add = [&](const AxisName& axis, Index step, const char* otherwise) {
    if (step > 1)
      parts.push_back(fmt::format("one {} in {}", axis.name.empty() || axis.by_hand ? otherwise : axis.name, step));
  };
  add(figure.row_axis, page.row_labels_step, "row");
  add(figure.column_axis, page.column_labels_step, "column");
  return parts.empty() ? "" : fmt::format("Labels name {}.", fmt::join(parts, " and "));
}

Result<Page> lay_out(const Figure& figure, const PageOptions& options, const FontSet& fonts, double grid) {
  HL_CHECK(check_options(options));
  HL_CHECK(check_figure(figure));
  Layout layout{figure, options, fonts, grid, {}, {}};
  HL_CHECK(plan_layout(layout));

  place_header(layout);
  place_panels(layout);
  place_row_titles(layout);
  const Box block = panel_block(layout);
  const bool small = block.x + least_bar_width > options.width - margin;
  const double left = small ? snapped(layout, margin) : block.x;
  const double right = content_right(layout, left);
  if (layout.plan.bar == BarPlace::beside) place_side_bar(layout);
  layout.page.height = place_footer(layout, block.y + block.height + layout.plan.bar_room, left, right);
  layout.page.width = right + margin;
  layout.page.transparent = options.transparent;
  if (options.exact_width) widen(layout);
  return std::move(layout.page);
}

}  // namespace headlight
