#include "app/figure/layout.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figure/layout_parts.h"

namespace headlight {

using namespace layout_parts;

namespace {

constexpr double title_size = 11;
constexpr double mark_gap = 0.45;       // between a panel's mark and its title, of their size
constexpr double largest_cell = 27;     // cells of a small matrix do not grow beyond this
constexpr double largest_label = 72;    // longer labels are cut
constexpr double number_width = 0.6;    // of a character of JetBrains Mono, of its size
constexpr double number_padding = 3.5;  // left and right of a number in its cell, together
constexpr double own_bar_height = 5;    // of a panel's own bar
constexpr double own_bar_gap = 4;       // between a map and its own bar
constexpr double footer_height = 48;
constexpr double least_side_bar = 60;        // a bar beside the maps that is lower is hard to read
constexpr double least_part_of_width = 0.8;  // that a bar beside the maps may leave them, of what they have above one
constexpr double least_map = 12;             // a map smaller than this says nothing

// ---- checks

Status check_options(const PageOptions& options) {
  const auto between = [](double value, double least, double most) { return value >= least && value <= most; };
  if (!between(options.width, 72, 7200) || !between(options.max_height, 72, 7200)) {
    return fail("page: {} × {} points: each side must be 72 to 7200", options.width, options.max_height);
  }
  if (!between(options.pixels_per_inch, 36, 2400)) {
    return fail("page: {} pixels per inch: must be 36 to 2400", options.pixels_per_inch);
  }
  if (!between(options.text_size, 2, 72) || !between(options.smallest_text, 2, options.text_size)) {
    return fail("page: text of {} points, smallest {}: must be 2 to 72, the smallest no larger than the other",
                options.text_size, options.smallest_text);
  }
  if (options.top_numbers < 1) return fail("page: the top {} numbers of a row: at least 1", options.top_numbers);
  return {};
}

Status check_labels(const std::vector<std::string>& labels, Index positions, std::size_t panel, const char* side) {
  if (labels.empty() || static_cast<Index>(labels.size()) == positions) return {};
  return fail("figure: panel {} has {} {} but {} labels for them: give one each, or none", panel + 1, positions, side,
              labels.size());
}

Status check_spacing(Colormap colormap, const ValueRange& range) {
  if (range.spacing != Spacing::logarithmic || !is_signed(colormap)) return {};
  return fail("figure: a logarithmic range has no middle for the signed colour map {}: choose another",
              to_string(colormap));
}

Status check_kind(const Panel& panel, std::size_t index) {
  if (panel.kind == PanelKind::bars && panel.cells.rows != 1) {
    return fail("figure: panel {} has {} rows: bars show one", index + 1, panel.cells.rows);
  }
  if (panel.kind != PanelKind::picture) return {};
  if (!panel.picture || panel.picture->rgba.empty()) return fail("figure: panel {} has no picture", index + 1);
  if (panel.place.block_rows < 1 || panel.place.block_columns < 1) {
    return fail("figure: panel {} has cells of {}×{} pixels on its picture: at least 1×1", index + 1,
                panel.place.block_rows, panel.place.block_columns);
  }
  if (panel.row_labels.empty() && panel.column_labels.empty()) return {};
  return fail("figure: panel {} is a picture, which has no labels", index + 1);
}

Status check_figure(const Figure& figure) {
  if (figure.panels.empty()) return fail("figure: nothing to draw: it has no panels");
  HL_CHECK(check_range(figure.range));
  HL_CHECK(check_spacing(figure.colormap, figure.range));
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
    for (const auto& [row, column] : panel.highlights) {
      const Extents cells =
          panel.kind == PanelKind::picture ? extents_of(panel) : Extents{panel.cells.rows, panel.cells.columns};
      if (row >= 0 && row < cells.rows && column >= 0 && column < cells.columns) continue;
      return fail("figure: panel {} has no cell at row {}, column {} to highlight", i + 1, row, column);
    }
  }
  return {};
}

// ---- deciding

double label_limit(const Layout& layout) {
  return std::min(largest_label, layout.options.width / 5);
}

bool has_colors(const Panel& panel) {
  return panel.kind == PanelKind::map || panel.kind == PanelKind::picture;
}

// What stands at the left of a panel, or above it.
bool has_labels(const Panel& panel, bool of_rows) {
  return panel.kind == PanelKind::map || panel.kind == (of_rows ? PanelKind::lines : PanelKind::bars);
}

// The width of the widest label, of all panels.
double widest_label(const Layout& layout, bool of_rows) {
  double widest = 0;
  for (const Panel& panel : layout.figure.panels) {
    if (of_rows && panel.kind == PanelKind::bars) {
      for (const ScaleTick& tick : scale_ticks(range_of(layout.figure, panel))) {
        widest = std::max(widest, layout.fonts.set(Face::mono, tick_size(layout), tick.text).width + tick_length);
      }
    }
    if (!has_labels(panel, of_rows)) continue;
    const auto& labels = of_rows ? panel.row_labels : panel.column_labels;
    const Index count = of_rows ? panel.cells.rows : panel.cells.columns;
    for (Index i = labels.empty() ? count - 1 : 0; i < count; ++i) {
      const TextLine line = layout.fonts.set(Face::regular, layout.plan.label_size, label_at(labels, i));
      widest = std::max(widest, line.width);
    }
  }
  return std::min(widest, label_limit(layout));
}

TextLine axis_line(const Layout& layout, const AxisName& axis, const char* arrow) {
  return layout.fonts.set_within(label_limit(layout), Face::semibold, layout.plan.label_size, axis.name + arrow);
}

void plan_panels(Layout& layout) {
  Plan& plan = layout.plan;
  const auto& panels = layout.figure.panels;
  const auto count = static_cast<Index>(panels.size());
  plan.columns = std::min<Index>(count, layout.figure.grid_columns > 0 ? layout.figure.grid_columns : 4);
  plan.rows = (count + plan.columns - 1) / plan.columns;
  bool titled = false;
  for (const Panel& panel : panels) {
    plan.cell_rows = std::max(plan.cell_rows, extents_of(panel).rows);
    plan.cell_columns = std::max(plan.cell_columns, extents_of(panel).columns);
    plan.colored = plan.colored || has_colors(panel);
    plan.extent = united(plan.extent, extent_of(panel.cells));
    const auto same = [&](auto labels, auto extent) {
      return panel.kind == panels[0].kind && panel.*labels == panels[0].*labels &&
             panel.cells.*extent == panels[0].cells.*extent;
    };
    plan.rows_shared = plan.rows_shared && same(&Panel::row_labels, &MatrixView::rows);
    plan.columns_shared = plan.columns_shared && same(&Panel::column_labels, &MatrixView::columns);
    plan.own_bars = plan.own_bars || range_of(layout.figure, panel) != range_of(layout.figure, panels[0]);
    titled = titled || !panel.title.empty() || !panel.mark.empty();
  }
  if (plan.own_bars) plan.bar_room = own_bar_gap + own_bar_height + tick_length + 1.4 * tick_size(layout);
  plan.title_height = titled && count > 1 ? layout.options.text_size * line_height + 2 : 0;
}

void plan_header(Layout& layout) {
  Plan& plan = layout.plan;
  std::string title = layout.figure.title;
  std::string subtitle;
  if (layout.figure.panels.size() == 1) {
    const Panel& panel = layout.figure.panels[0];
    subtitle = panel.mark + (panel.mark.empty() || panel.title.empty() ? "" : " · ") + panel.title;
  }
  if (title.empty()) std::swap(title, subtitle);
  if (title.empty()) return;
  const double limit = layout.options.width - 2 * margin;
  const double size = layout.options.text_size;
  plan.title = layout.fonts.set_within(limit, Face::semibold, title_size, title);
  plan.subtitle = layout.fonts.set_within(limit, Face::regular, size, subtitle);
  plan.subtitle_below = plan.title.width + title_gap + plan.subtitle.width > limit;
  plan.header = title_size * line_height + 3 + (plan.subtitle_below ? size * line_height : 0);
}

// How far the first label of cells finer than itself reaches beyond the map's corner, towards the axis names.
double corner_reach(double label_size, double cell) {
  return std::max(0.0, label_size - cell) / 2;
}

void plan_labels(Layout& layout) {
  Plan& plan = layout.plan;
  const auto& panels = layout.figure.panels;
  if (std::ranges::all_of(panels, [](const Panel& panel) { return panel.kind == PanelKind::picture; })) {
    plan.left = plan.top = 0;  // pictures have no labels
    return;
  }
  const double names = std::max(axis_line(layout, layout.figure.row_axis, " ↓").width,
                                axis_line(layout, layout.figure.column_axis, " →").width);
  plan.left = std::max(widest_label(layout, true), names + corner_reach(plan.label_size, plan.cell_width)) + label_gap;
  // The corner left of the column labels holds the two axis names.
  plan.top = std::max(widest_label(layout, false), 2 * line_height * plan.label_size) + label_gap;
}

// Fills the room for one map: squares, unless the matrix is so long that they would leave a thread of it.
void plan_cells(Layout& layout, double width, double height) {
  Plan& plan = layout.plan;
  const auto pixels = [&](double length) { return static_cast<Index>(length / layout.grid + 1e-6); };
  plan.block = block_for_pixels(plan.cell_rows, plan.cell_columns, pixels(width), pixels(height));
  const auto [shorter, longer] = std::minmax(plan.cell_rows, plan.cell_columns);
  if (longer <= 4 * shorter) plan.block.rows = plan.block.columns = std::max(plan.block.rows, plan.block.columns);
  const auto columns = static_cast<double>((plan.cell_columns + plan.block.columns - 1) / plan.block.columns);
  const auto rows = static_cast<double>((plan.cell_rows + plan.block.rows - 1) / plan.block.rows);
  const double square = std::min({largest_cell, width / columns, height / rows});
  const double least_side = std::max(columns, rows) * square / 4;
  const double cell_width = std::max(square, std::min({largest_cell / 3, width / columns, least_side / columns}));
  const double cell_height = std::max(square, std::min({largest_cell / 3, height / rows, least_side / rows}));
  plan.cell_width = snapped_down(layout, cell_width);
  plan.cell_height = snapped_down(layout, cell_height);
  plan.map_width = plan.cell_width * columns;
  plan.map_height = plan.cell_height * rows;
}

// What is kept free below the maps.
double footer_room(const Layout& layout) {
  return footer_gap + (words_below(layout.plan) ? footer_height : 2 * line_height * layout.options.text_size);
}

// Labels and cells share the page: labels as large as they may be, then as large as the cells they got allow.
Status plan_sizes(Layout& layout) {
  Plan& plan = layout.plan;
  plan.label_size = layout.options.text_size;
  for (int pass = 0;; ++pass) {
    plan_labels(layout);
    const auto columns = static_cast<double>(plan.columns);
    const auto rows = static_cast<double>(plan.rows);
    const double labels_across = plan.left * (plan.rows_shared ? 1 : columns);
    const double labels_down = plan.top * (plan.columns_shared ? 1 : rows);
    const double width =
        (layout.options.width - 2 * margin - labels_across - panel_gap * (columns - 1) - plan.bar_column) / columns;
    const double height = (layout.options.max_height - 2 * margin - plan.header - labels_down -
                           (plan.title_height + plan.bar_room) * rows - panel_gap * (rows - 1) - footer_room(layout)) /
                          rows;
    if (width < least_map || height < least_map) {
      return fail("page: {} × {} points have no room for {} × {} maps: make it larger, or change the columns",
                  layout.options.width, layout.options.max_height, plan.rows, plan.columns);
    }
    plan_cells(layout, width, height);
    if (pass > 0) break;
    const double pitch = std::min(plan.cell_width, plan.cell_height) / label_pitch;
    plan.label_size = std::clamp(pitch, layout.options.smallest_text, layout.options.text_size);
  }
  return {};
}

// The size at which every number fits its cell, or 0 where that would be too small to read.
void plan_numbers(Layout& layout) {
  Plan& plan = layout.plan;
  plan.number_size = 0;
  if (layout.options.cell_numbers == CellNumbers::none || !plan.block.single()) return;
  if (plan.cell_height < layout.options.smallest_text * 1.5) return;
  double widest = 0;
  for (const Panel& panel : layout.figure.panels) {
    if (panel.kind != PanelKind::map) continue;
    for (Index row = 0; row < panel.cells.rows; ++row) {
      for (Index column = 0; column < panel.cells.columns; ++column) {
        const float value = panel.cells.at(row, column);
        if (is_broken(value)) continue;
        widest =
            std::max(widest, layout.fonts.set(Face::mono, 1, cell_text(value, range_of(layout.figure, panel))).width);
      }
    }
  }
  const double room = (plan.cell_width - number_padding) / std::max(widest, number_width);
  const double size = std::min({layout.options.text_size, room, plan.cell_height / 1.5});
  plan.number_size = size < layout.options.smallest_text ? 0 : size;
}

// With the bar where it is to be: beside the maps with words in one line or two, else with its words below them.
Status plan_with(Layout& layout, BarPlace bar) {
  Plan& plan = layout.plan;
  plan.bar = bar;
  for (const int lines : {1, 2, 0}) {
    if (bar == BarPlace::beside) {
      plan.bar_column = side_bar_width(layout, lines);
      plan.bar_words.assign(static_cast<std::size_t>(lines), {});  // they will need no room below
    }
    HL_CHECK(plan_sizes(layout));
    plan_numbers(layout);
    if (bar != BarPlace::beside || lines == 0) break;
    plan.bar_words = side_bar_words(layout, panel_block(layout).height, lines);
    if (!plan.bar_words.empty()) break;
  }
  return {};
}

// How far a panel's title may reach: into the gap after the panel.
double title_room(const Plan& plan, Index column) {
  const bool last = column + 1 == plan.columns;
  const double gap = !last ? panel_gap : plan.bar == BarPlace::beside ? side_bar_gap : 0;
  return plan.map_width + std::max(0.0, gap - tick_gap);
}

// How many panels' titles do not fit.
Index cut_titles(const Layout& layout, const Plan& plan) {
  const double size = layout.options.text_size;
  Index count = 0;
  for (std::size_t i = 0; plan.title_height > 0 && i < layout.figure.panels.size(); ++i) {
    const Panel& panel = layout.figure.panels[i];
    const double mark = layout.fonts.set(Face::semibold, size, panel.mark).width;
    const double title = layout.fonts.set(Face::regular, size, panel.title).width;
    const double all = mark + (panel.mark.empty() ? 0 : mark_gap * size) + title;
    count += all > title_room(plan, static_cast<Index>(i) % plan.columns);
  }
  return count;
}

// Whether panels with a bar beside them show as much as with one below, and not much smaller.
bool shows_as_much(const Layout& layout, const Plan& beside, const Plan& below) {
  const bool labelled = std::ranges::any_of(layout.figure.panels, [](const Panel& panel) {
    return !panel.row_labels.empty() || !panel.column_labels.empty();
  });
  const auto step = [](const Plan& plan) {
    return label_step(std::min(plan.cell_width / static_cast<double>(plan.block.columns),
                               plan.cell_height / static_cast<double>(plan.block.rows)),
                      plan.label_size, false);
  };
  return beside.map_width >= least_part_of_width * below.map_width && (!labelled || step(beside) <= step(below)) &&
         beside.block.rows * beside.block.columns <= below.block.rows * below.block.columns &&
         (beside.number_size > 0 || below.number_size == 0) && cut_titles(layout, beside) <= cut_titles(layout, below);
}

// Decides where the bar stands and plans everything round it.
Status plan_bar(Layout& layout) {
  const BarPlace asked = layout.plan.own_bars ? BarPlace::below : layout.options.bar;
  if (asked == BarPlace::none) return plan_with(layout, asked);
  if (asked == BarPlace::below || !layout.plan.colored) return plan_with(layout, BarPlace::below);
  Layout beside = layout;
  const Status fits = plan_with(beside, BarPlace::beside);
  if (asked == BarPlace::beside) {
    layout.plan = std::move(beside.plan);
    return fits;
  }
  const Status below = plan_with(layout, BarPlace::below);
  const bool readable = fits && !beside.plan.bar_words.empty() && panel_block(beside).height >= least_side_bar;
  if (!readable || (below && !shows_as_much(layout, beside.plan, layout.plan))) return below;
  layout.plan = std::move(beside.plan);
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
  for (Index row = 0; row < panel.cells.rows; row += step) {
    const double middle = map.y + (static_cast<double>(row) + 0.5) * pitch;
    put_text(layout, layout.fonts.set_within(limit, Face::regular, plan.label_size, label_at(panel.row_labels, row)),
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
  for (Index column = 0; column < panel.cells.columns; column += step) {
    const double middle = map.x + (static_cast<double>(column) + 0.5) * pitch;
    TextLine line =
        layout.fonts.set_within(limit, Face::regular, plan.label_size, label_at(panel.column_labels, column));
    layout.page.texts.push_back({{middle + middle_above_baseline * plan.label_size, map.y - label_gap},
                                 std::move(line),
                                 panel.column_labels.empty() ? text_2 : text_1,
                                 true,
                                 Align::left,
                                 label_of(layout, panel, false, column / plan.block.columns)});
  }
}

void place_axis_names(Layout& layout, const Box& map, bool columns_only) {
  const Plan& plan = layout.plan;
  const double right = map.x - label_gap - corner_reach(plan.label_size, plan.cell_width);
  const double baseline = map.y - label_gap - corner_reach(plan.label_size, plan.cell_height);
  put_text(layout, axis_line(layout, layout.figure.column_axis, " →"),
           {right, baseline - line_height * plan.label_size}, role_color(layout.figure.column_axis.role), Align::right);
  if (columns_only) return;
  put_text(layout, axis_line(layout, layout.figure.row_axis, " ↓"), {right, baseline},
           role_color(layout.figure.row_axis.role), Align::right);
}

void place_panel_title(Layout& layout, const Panel& panel, Point at, double room) {
  const double size = layout.options.text_size;
  double x = at.x;
  if (!panel.mark.empty()) {
    TextLine mark = layout.fonts.set_within(room, Face::semibold, size, panel.mark);
    x += mark.width + mark_gap * size;
    put_text(layout, std::move(mark), at, text_1);
  }
  put_text(layout, layout.fonts.set_within(at.x + room - x, Face::regular, size, panel.title), {x, at.y}, text_1);
}

void place_panels(Layout& layout) {
  const Plan& plan = layout.plan;
  for (Index index = 0; index < static_cast<Index>(layout.figure.panels.size()); ++index) {
    const Panel& panel = layout.figure.panels[static_cast<std::size_t>(index)];
    const Box map = map_box(layout, index);
    const bool first_column = index % plan.columns == 0;
    const bool first_row = index < plan.columns;
    const bool labels_left = first_column || !plan.rows_shared;
    const bool labels_above = first_row || !plan.columns_shared;
    place_content(layout, panel, map, labels_left);
    if (labels_left && has_labels(panel, true)) place_row_labels(layout, panel, map);
    if (labels_above && has_labels(panel, false)) place_column_labels(layout, panel, map);
    if (index == 0 && panel.kind != PanelKind::picture) place_axis_names(layout, map, panel.kind == PanelKind::bars);
    if (plan.own_bars && has_colors(panel)) {
      const Box bar{map.x, snapped(layout, map.y + map.height + own_bar_gap), map.width,
                    snapped(layout, own_bar_height)};
      place_bar(layout, bar, panel, (panel_gap - tick_gap) / 2);
    }
    if (plan.title_height == 0) continue;
    const double title_baseline = map.y - (labels_above ? plan.top : 0) - 0.5 * layout.options.text_size;
    place_panel_title(layout, panel, {map.x, title_baseline}, title_room(plan, index % plan.columns));
  }
}

void place_header(Layout& layout) {
  const Plan& plan = layout.plan;
  const double baseline = margin + 0.85 * title_size;
  put_text(layout, plan.title, {margin, baseline}, text_1);
  const Point at = plan.subtitle_below ? Point{margin, baseline + line_height * layout.options.text_size}
                                       : Point{margin + plan.title.width + title_gap, baseline};
  put_text(layout, plan.subtitle, at, text_2);
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

Status check_range(const ValueRange& range) {
  const auto [low, high, spacing] = range;
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) {
    return fail("figure: a range from {} to {}: both must be finite, and the first less", low, high);
  }
  if (spacing == Spacing::logarithmic && low <= 0) {
    return fail("figure: a logarithmic range from {}: it must begin above 0", low);
  }
  return {};
}

Result<Page> lay_out(const Figure& figure, const PageOptions& options, const FontSet& fonts, double grid) {
  HL_CHECK(check_options(options));
  HL_CHECK(check_figure(figure));
  Layout layout{figure, options, fonts, grid, {}, {}};
  plan_panels(layout);
  plan_header(layout);
  HL_CHECK(plan_bar(layout));

  place_header(layout);
  place_panels(layout);
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
