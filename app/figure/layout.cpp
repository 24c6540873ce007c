#include "app/figure/layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "engine/picture/overlay.h"
#include "engine/picture/pyramid.h"

namespace headlight {

namespace {

// Light theme. Lengths in points from here on.
constexpr Color text_1 = rgb(0x17181C);
constexpr Color text_2 = rgb(0x4E535D);
constexpr Color frame_color = rgb(0xC4C4BD);

constexpr double margin = 6;
constexpr double title_size = 11;
constexpr double title_gap = 6;            // between a title and a subtitle on the same line
constexpr double line_height = 1.45;       // of a line's size
constexpr double largest_cell = 27;        // cells of a small matrix do not grow beyond this
constexpr double least_cell_with_gap = 4;  // below it a gap would take too much of the cell
constexpr double largest_label = 72;       // longer labels are cut
constexpr double label_pitch = 1.04;       // from one label to the next, of their size
constexpr double label_gap = 3.5;          // between a label and its map
constexpr double panel_gap = 9;
constexpr double number_width = 0.6;    // of a character of JetBrains Mono, of its size
constexpr double number_padding = 3.5;  // left and right of a number in its cell, together
constexpr double line_width = 0.5;      // frames and ticks
constexpr Color highlight_color = rgb(0xE58A00);
constexpr double highlight_width = 1.2;
constexpr double bar_height = 7;
constexpr double own_bar_height = 5;  // of a panel's own bar
constexpr double own_bar_gap = 4;     // between a map and its own bar
constexpr double tick_gap = 3;        // the least between the numbers of two ticks
constexpr double tick_length = 2.5;
constexpr double footer_gap = 13;  // between the maps and the colour bar
constexpr double footer_height = 48;
constexpr double least_bar_width = 90;
constexpr double largest_bar_width = 150;
constexpr double bar_gap = 12;     // between the bar and the words beside it
constexpr double swatch_gap = 12;  // between one swatch's name and the next swatch
constexpr double least_map = 12;   // a map smaller than this says nothing

Color role_color(Role role) {
  switch (role) {
    case Role::query:
      return rgb(0x1A5FCB);
    case Role::key:
      return rgb(0xC03F0A);
    case Role::value:
      return rgb(0x0A7350);
    case Role::output:
    case Role::position:
      return rgb(0x0B6E83);
    default:
      return text_2;
  }
}

// What has been decided before anything is placed. Sizes are those of the largest panel.
struct Plan {
  Index columns = 1;  // of panels
  Index rows = 1;
  Index cell_rows = 0;
  Index cell_columns = 0;
  bool rows_shared = true;  // all panels have the same labels: they stand once, at the left and at the top
  bool columns_shared = true;
  double label_size = 0;
  double left = 0;          // room for row labels and the gap after them
  double top = 0;           // room for column labels and the gap after them
  double title_height = 0;  // above each panel
  TextLine title;
  TextLine subtitle;  // a lone panel's own title, after the figure's or below it
  bool subtitle_below = false;
  double header = 0;
  Block block;
  double cell_width = 0;
  double cell_height = 0;
  double map_width = 0;
  double map_height = 0;
  double number_size = 0;  // 0: no numbers in cells
  bool colored = false;    // there are colours to have a bar for
  bool own_bars = false;   // a bar below each map, because their ranges differ
  double bar_room = 0;     // for it
};

struct Layout {
  const Figure& figure;
  const PageOptions& options;
  const FontSet& fonts;
  double grid;
  Plan plan;
  Page page;
};

double snapped(const Layout& layout, double length) {
  return std::round(length / layout.grid) * layout.grid;
}

double snapped_down(const Layout& layout, double length) {
  return std::max(1.0, std::floor(length / layout.grid + 1e-6)) * layout.grid;
}

void put_text(Layout& layout, TextLine line, Point at, Color color, Align align = Align::left,
              std::optional<LabelOf> label = {}) {
  if (align != Align::left) at.x -= line.width * (align == Align::middle ? 0.5 : 1.0);
  layout.page.texts.push_back({at, std::move(line), color, false, align, label});
}

void put_frame(Layout& layout, const Box& box) {
  const double w = snapped_down(layout, line_width);
  auto& fills = layout.page.fills;
  fills.push_back({{box.x - w, box.y - w, box.width + 2 * w, w}, frame_color});
  fills.push_back({{box.x - w, box.y + box.height, box.width + 2 * w, w}, frame_color});
  fills.push_back({{box.x - w, box.y, w, box.height}, frame_color});
  fills.push_back({{box.x + box.width, box.y, w, box.height}, frame_color});
}

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

Status check_spacing(const Figure& figure, const ValueRange& range) {
  if (range.spacing != Spacing::logarithmic || !is_signed(figure.colormap)) return {};
  return fail("figure: a logarithmic range has no middle for the signed colour map {}: choose another",
              to_string(figure.colormap));
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
  HL_CHECK(check_spacing(figure, figure.range));
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    if (panel.cells.empty()) return fail("figure: panel {} has no cells", i + 1);
    HL_CHECK(check_kind(panel, i));
    HL_CHECK(check_labels(panel.row_labels, panel.cells.rows, i, "rows"));
    HL_CHECK(check_labels(panel.column_labels, panel.cells.columns, i, "columns"));
    if (panel.range) {
      HL_CHECK(check_range(*panel.range));
      HL_CHECK(check_spacing(figure, *panel.range));
    }
    for (const auto& [row, column] : panel.highlights) {
      if (row >= 0 && row < panel.cells.rows && column >= 0 && column < panel.cells.columns) continue;
      return fail("figure: panel {} has no cell at row {}, column {} to highlight", i + 1, row, column);
    }
  }
  return {};
}

// ---- deciding

std::string label_at(const std::vector<std::string>& labels, Index position) {
  return labels.empty() ? fmt::format("{}", position) : display_text(labels[static_cast<std::size_t>(position)]);
}

double label_limit(const Layout& layout) {
  return std::min(largest_label, layout.options.width / 5);
}

// Signed colour maps have zero in their middle, so that what lies as far on either side looks as strong.
ValueRange range_of(const Figure& figure, const Panel& panel) {
  const ValueRange range = panel.range ? *panel.range : figure.range;
  if (!is_signed(figure.colormap)) return range;
  const float bound = std::max(std::abs(range.low), std::abs(range.high));
  return {-bound, bound, range.spacing};
}

double tick_size(const Layout& layout) {
  return std::max(layout.options.text_size - 1, layout.options.smallest_text);
}

// How large a panel is, in cells as large as the maps': a picture's pixels, and as much as bars and lines need.
struct Extents {
  Index rows = 0;
  Index columns = 0;
};

Extents extents_of(const Panel& panel) {
  const MatrixView& cells = panel.cells;
  if (panel.kind == PanelKind::picture) return {panel.picture->height, panel.picture->width};
  if (panel.kind == PanelKind::bars) return {std::clamp<Index>(cells.columns / 3, 4, 64), cells.columns};
  if (panel.kind == PanelKind::map) return {cells.rows, cells.columns};
  const Index side = std::max<Index>({cells.rows, cells.columns, 6});
  return {side, side};
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
    const double width = (layout.options.width - 2 * margin - labels_across - panel_gap * (columns - 1)) / columns;
    const double height =
        (layout.options.max_height - 2 * margin - plan.header - labels_down -
         (plan.title_height + plan.bar_room) * rows - panel_gap * (rows - 1) - footer_gap - footer_height) /
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

// ---- placing

// The least number of a row that is to be written in its cell, or its least magnitude.
float least_number(const Layout& layout, const MatrixView& cells, Index row, bool by_magnitude) {
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
  const ColorTable table = color_table(layout.figure.colormap);
  const Plan& plan = layout.plan;
  const ValueRange range = range_of(layout.figure, panel);
  for (Index row = 0; row < panel.cells.rows; ++row) {
    const float least = least_number(layout, panel.cells, row, range.is_signed());
    for (Index column = 0; column < panel.cells.columns; ++column) {
      const float value = panel.cells.at(row, column);
      if (is_masked(value) || is_broken(value) || (range.is_signed() ? std::abs(value) : value) < least) continue;
      const Point middle{map.box.x + (static_cast<double>(column) + 0.5) * plan.cell_width,
                         map.box.y + (static_cast<double>(row) + 0.5) * plan.cell_height};
      // Digits are as high as capitals: 0.73 of the size.
      put_text(layout, layout.fonts.set(Face::mono, plan.number_size, cell_text(value, range)),
               {middle.x, middle.y + 0.365 * plan.number_size},
               readable_text_on(color_at(table, normalise(map.cells.at(row, column), map.range))), Align::middle);
    }
  }
}

// How many positions to go from one label to the next so that they do not overlap: any number between tokens, and 1, 2,
// 5, 10, 20, … between numbers.
Index label_step(double pitch, double label_size, bool numbered) {
  const auto least = static_cast<Index>(std::ceil(0.999 * label_pitch * label_size / pitch));
  if (!numbered) return least;
  for (Index power = 1;; power *= 10) {
    for (const Index step : {power, 2 * power, 5 * power}) {
      if (step >= least) return step;
    }
  }
}

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
    x += mark.width + 0.45 * size;
    put_text(layout, std::move(mark), at, text_1);
  }
  put_text(layout, layout.fonts.set_within(at.x + room - x, Face::regular, size, panel.title), {x, at.y}, text_1);
}

Pooling pooling(const ValueRange& range) {
  return range.is_signed() ? Pooling::magnitude : Pooling::maximum;
}

void place_highlights(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  for (const auto& [row, column] : panel.highlights) {
    const Box cell{map.x + static_cast<double>(column / plan.block.columns) * plan.cell_width,
                   map.y + static_cast<double>(row / plan.block.rows) * plan.cell_height, plan.cell_width,
                   plan.cell_height};
    const double w = snapped_down(layout, std::min(highlight_width, std::min(cell.width, cell.height) / 4));
    auto& fills = layout.page.fills;
    fills.push_back({{cell.x, cell.y, cell.width, w}, highlight_color});
    fills.push_back({{cell.x, cell.y + cell.height - w, cell.width, w}, highlight_color});
    fills.push_back({{cell.x, cell.y + w, w, cell.height - 2 * w}, highlight_color});
    fills.push_back({{cell.x + cell.width - w, cell.y + w, w, cell.height - 2 * w}, highlight_color});
  }
}

void place_map(Layout& layout, const Panel& panel, const Box& map) {
  const Plan& plan = layout.plan;
  const ValueRange range = range_of(layout.figure, panel);
  const bool gaps = layout.options.grid && std::min(plan.cell_width, plan.cell_height) >= least_cell_with_gap;
  MapItem item{map, panel.cells, nullptr, spaced_range(range), gaps};
  const auto own = [&item](Tensor&& cells) {
    item.owned = std::make_shared<const Tensor>(std::move(cells));
    item.cells = matrix_at(*item.owned, {});
  };
  if (range.spacing != Spacing::linear) own(spaced(item.cells, range));
  if (!plan.block.single()) own(pooled(item.cells, plan.block, pooling(range)));
  layout.page.maps.push_back(item);
  put_frame(layout, map);
  place_highlights(layout, panel, map);
  if (plan.number_size > 0) place_numbers(layout, panel, item);
}

void place_picture(Layout& layout, const Panel& panel, const Box& box) {
  const ColorTable table = color_table(layout.figure.colormap);
  const ValueRange range = range_of(layout.figure, panel);
  const Tensor values = spaced(panel.cells, range);
  const Image grey = greyed(*panel.picture, false);
  auto picture =
      std::make_shared<const Image>(overlaid(grey, matrix_at(values, {}), panel.place, spaced_range(range), table));
  const MatrixView size{nullptr, picture->height, picture->width, 0, 1};
  layout.page.maps.push_back({box, size, nullptr, {0, 1}, false, std::move(picture)});
  put_frame(layout, box);
}

// The numbers of the scale at the left of bars.
void place_bar_ticks(Layout& layout, const Box& box, const ValueRange& range) {
  const double size = tick_size(layout);
  const double width = snapped_down(layout, line_width);
  for (const ScaleTick& tick : scale_ticks(range)) {
    const double y = box.y + (1 - tick.part) * box.height;
    layout.page.fills.push_back({{box.x - tick_length, snapped(layout, y - width / 2), tick_length, width}, text_2});
    put_text(layout, layout.fonts.set(Face::mono, size, tick.text),
             {box.x - tick_length - 1.5, y + middle_above_baseline * size}, text_2, Align::right);
  }
}

// From zero, where the scale has it, to each number; hatched where masked.
void place_bars(Layout& layout, const Panel& panel, const Box& box, bool ticks) {
  const ValueRange of = range_of(layout.figure, panel);
  const ValueRange range = spaced_range(of);
  const ColorTable table = color_table(layout.figure.colormap);
  const Block block{1, layout.plan.block.columns};
  const Tensor values = pooled(matrix_at(spaced(panel.cells, of), {}), block, pooling(of));
  const double pitch = box.width / static_cast<double>(values.size());
  const auto height = [&](float value) {
    return box.height * std::clamp(static_cast<double>(normalise(value, range)), 0.0, 1.0);
  };
  for (Index i = 0; i < values.size(); ++i) {
    const double x = box.x + static_cast<double>(i) * pitch;
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
  put_frame(layout, box);
  if (ticks) place_bar_ticks(layout, box, of);
}

// The columns' labels, at the right ends of the lines.
void place_line_ends(Layout& layout, const Panel& panel, const Box& box) {
  const double size = layout.plan.label_size;
  const double pitch = box.height / static_cast<double>(panel.cells.columns);
  const Index step = label_step(pitch, size, panel.column_labels.empty());
  for (Index column = 0; column < panel.cells.columns; column += step) {
    const double middle = box.y + (static_cast<double>(column) + 0.5) * pitch;
    put_text(layout,
             layout.fonts.set_within(box.width + 0.01, Face::regular, size, label_at(panel.column_labels, column)),
             {box.x, middle + middle_above_baseline * size}, panel.column_labels.empty() ? text_2 : text_1);
  }
}

// Lines that are hardly there are left out: together they would only grey the panel.
void place_lines(Layout& layout, const Panel& panel, const Box& box) {
  constexpr float least = 0.02F;
  const MatrixView& cells = panel.cells;
  const Plan& plan = layout.plan;
  const double row_pitch = box.height / static_cast<double>(cells.rows);
  const double column_pitch = box.height / static_cast<double>(cells.columns);
  double names = 0;
  for (Index i = panel.column_labels.empty() ? cells.columns - 1 : 0; i < cells.columns; ++i) {
    names = std::max(names, layout.fonts.set(Face::regular, plan.label_size, label_at(panel.column_labels, i)).width);
  }
  names = std::min(names, 0.4 * box.width);
  const double right = box.x + box.width - names - label_gap;
  const ValueRange range = range_of(layout.figure, panel);
  const Tensor values = spaced(cells, range);
  const Color color = color_at(color_table(layout.figure.colormap), 0.75F);
  for (Index row = 0; row < cells.rows; ++row) {
    for (Index column = 0; column < cells.columns; ++column) {
      const float strength =
          std::min(1.0F, overlay_strength(values[row * cells.columns + column], spaced_range(range)));
      if (strength < least) continue;
      layout.page.lines.push_back({{box.x, box.y + (static_cast<double>(row) + 0.5) * row_pitch},
                                   {right, box.y + (static_cast<double>(column) + 0.5) * column_pitch},
                                   0.4 + 1.2 * static_cast<double>(strength),
                                   color,
                                   static_cast<double>(strength)});
    }
  }
  place_line_ends(layout, panel, {right + label_gap, box.y, names, box.height});
}

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

Box map_box(const Layout& layout, Index index) {
  const Plan& plan = layout.plan;
  const Panel& panel = layout.figure.panels[static_cast<std::size_t>(index)];
  const auto column = static_cast<double>(index % plan.columns);
  const auto row = static_cast<double>(index / plan.columns);
  const double pitch_x = plan.map_width + panel_gap + (plan.rows_shared ? 0 : plan.left);
  const double pitch_y =
      plan.map_height + plan.bar_room + panel_gap + plan.title_height + (plan.columns_shared ? 0 : plan.top);
  const auto cells = [](Index count, Index block) { return static_cast<double>((count + block - 1) / block); };
  return {snapped(layout, margin + plan.left + column * pitch_x),
          snapped(layout, margin + plan.header + plan.title_height + plan.top + row * pitch_y),
          plan.cell_width * cells(extents_of(panel).columns, plan.block.columns),
          plan.cell_height * cells(extents_of(panel).rows, plan.block.rows)};
}

// The bar of a range with its ticks, as many as have room for their numbers, which stay within `reach` of the bar's
// ends.
void place_bar(Layout& layout, const Box& bar, const ValueRange& of, double reach) {
  constexpr Index steps = 256;
  const ValueRange range = spaced_range(of);
  auto ramp = std::make_shared<Tensor>(Tensor::uninitialized({1, steps}));
  for (Index i = 0; i < steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps - 1);
    (*ramp)[i] = range.low * (1 - t) + range.high * t;
  }
  layout.page.maps.push_back({bar, matrix_at(*ramp, {}), ramp, range, false});
  put_frame(layout, bar);
  const double width = snapped_down(layout, line_width);
  const double size = tick_size(layout);
  double taken = bar.x - bar.width - reach;
  for (const ScaleTick& tick : scale_ticks(of)) {
    TextLine number = layout.fonts.set(Face::mono, size, tick.text);
    const double x = bar.x + tick.part * bar.width;
    const double half = number.width / 2;
    if (half > bar.width / 2 + reach) continue;
    const double middle = std::clamp(x, bar.x - reach + half, bar.x + bar.width + reach - half);
    layout.page.fills.push_back(
        {{snapped(layout, x - width / 2), bar.y + bar.height, width, snapped_down(layout, tick_length)}, text_2});
    if (middle - half < taken + tick_gap) continue;
    taken = middle + half;
    put_text(layout, std::move(number), {middle, bar.y + bar.height + tick_length + size}, text_2, Align::middle);
  }
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
      place_bar(layout, bar, range_of(layout.figure, panel), (panel_gap - tick_gap) / 2);
    }
    if (plan.title_height == 0) continue;
    const double title_baseline = map.y - (labels_above ? plan.top : 0) - 0.5 * layout.options.text_size;
    place_panel_title(layout, panel, {map.x, title_baseline}, plan.map_width);
  }
}

// ---- the colour bar and its words

std::string spacing_text(const ValueRange& range) {
  const std::string ends = fmt::format("{} to {}", value_text(range.low), value_text(range.high));
  if (range.spacing == Spacing::linear) return "linear, " + ends;
  if (range.spacing == Spacing::logarithmic) return "logarithmic, " + ends;
  return range.is_signed() ? "as a part of the greatest magnitude in its row" : "as a part of the greatest in its row";
}

std::string_view spacing_name(Spacing spacing) {
  return spacing == Spacing::linear ? "linear" : spacing == Spacing::logarithmic ? "logarithmic" : "by row maximum";
}

// "linear", or "a linear, b logarithmic" where panels differ.
std::string spacings_text(const Figure& figure) {
  std::string all;
  bool same = true;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const Spacing spacing = range_of(figure, panel).spacing;
    same = same && spacing == range_of(figure, figure.panels[0]).spacing;
    all += fmt::format("{}{} {}", i == 0 ? "" : ", ", panel.mark.empty() ? std::to_string(i + 1) : panel.mark,
                       spacing_name(spacing));
  }
  return same ? std::string(spacing_name(range_of(figure, figure.panels[0]).spacing)) : all;
}

std::string scale_text(const Layout& layout) {
  const Figure& figure = layout.figure;
  const std::string text = figure.quantity.empty() ? "value" : figure.quantity;
  if (layout.plan.own_bars) return text + ", each panel on its own scale: " + spacings_text(figure);
  return text + ", " + spacing_text(range_of(figure, figure.panels[0])) +
         (figure.shared_by.empty() ? "" : ", " + figure.shared_by);
}

// One thing that shows besides numbers on the scale: a cell that looks like it, or none, and its name.
struct Swatch {
  std::optional<float> value;
  std::string name;
};

std::vector<Swatch> swatches(const Layout& layout) {
  Extent extent;
  for (const Panel& panel : layout.figure.panels) extent = united(extent, extent_of(panel.cells));
  std::vector<Swatch> all;
  if (extent.masked > 0) all.push_back({masked_value, "masked"});
  if (extent.broken > 0) all.push_back({std::numeric_limits<float>::quiet_NaN(), "not a number"});
  if (!layout.plan.block.single())
    all.push_back(
        {std::nullopt, pooling_text(layout.plan.block, pooling(range_of(layout.figure, layout.figure.panels[0])))});
  return all;
}

double swatch_cell_width(const Layout& layout, const Swatch& swatch) {
  return swatch.value ? snapped(layout, 1.6 * bar_height) + 4 : 0;
}

double width_of(const Layout& layout, const std::vector<Swatch>& all) {
  double width = 0;
  for (const Swatch& swatch : all) {
    const TextLine name = layout.fonts.set(Face::regular, layout.options.text_size, swatch.name);
    width += (width > 0 ? swatch_gap : 0) + swatch_cell_width(layout, swatch) + name.width;
  }
  return width;
}

// In a row from `at`, the middle of its left end; in further rows where `right` is reached. Gives the last row's
// middle.
double place_swatches(Layout& layout, const std::vector<Swatch>& all, Point at, double right) {
  const double size = layout.options.text_size;
  const double side = snapped(layout, bar_height);
  double x = at.x;
  for (const Swatch& swatch : all) {
    TextLine name = layout.fonts.set_within(right - at.x, Face::regular, size, swatch.name);
    const double cell_width = swatch_cell_width(layout, swatch);
    if (x > at.x && x + cell_width + name.width > right) {
      x = at.x;
      at.y += line_height * size;
    }
    if (swatch.value) {
      auto cell = std::make_shared<Tensor>(Shape{1, 1});
      (*cell)[0] = *swatch.value;
      const Box box{snapped(layout, x), snapped(layout, at.y - side / 2), cell_width - 4, side};
      layout.page.maps.push_back({box, matrix_at(*cell, {}), cell, {0, 1}, false});
      put_frame(layout, box);
    }
    const double name_x = x + cell_width;
    x = name_x + name.width + swatch_gap;
    put_text(layout, std::move(name), {name_x, at.y + middle_above_baseline * size}, text_2);
  }
  return at.y;
}

// Words and swatches from the middle of a line at `at` downward. Gives the last line's middle.
double place_words(Layout& layout, Point at, double right) {
  const double size = layout.options.text_size;
  TextLine words = layout.fonts.set_within(right - at.x, Face::regular, size, scale_text(layout));
  put_text(layout, std::move(words), {at.x, at.y + middle_above_baseline * size}, text_2);
  const std::vector<Swatch> all = swatches(layout);
  if (all.empty()) return at.y;
  return place_swatches(layout, all, {at.x, at.y + line_height * size}, right);
}

// The colour bar and its words, beside it where there is room, else below. Gives the page's bottom.
double place_footer(Layout& layout, double top, double left, double right) {
  const double size = layout.options.text_size;
  if (layout.plan.own_bars || !layout.plan.colored)
    return place_words(layout, {left, top + size}, right) + 0.6 * size + margin;
  const Box bar{left, snapped(layout, top + footer_gap),
                snapped(layout, std::clamp(0.4 * (right - left), least_bar_width, largest_bar_width)),
                snapped(layout, bar_height)};
  place_bar(layout, bar, range_of(layout.figure, layout.figure.panels[0]), bar.width);
  const double bar_bottom = bar.y + bar.height + tick_length + tick_size(layout);
  const double words_width = layout.fonts.set(Face::regular, size, scale_text(layout)).width;
  const double beside = bar.x + bar.width + bar_gap;
  if (beside + std::max(words_width, width_of(layout, swatches(layout))) <= right + 0.01) {
    const double last = place_words(layout, {beside, bar.y + bar.height / 2}, right);
    return std::max(bar_bottom, last + 0.6 * size) + margin;
  }
  return place_words(layout, {left, bar_bottom + size}, right) + 0.6 * size + margin;
}

void place_header(Layout& layout) {
  const Plan& plan = layout.plan;
  const double baseline = margin + 0.85 * title_size;
  put_text(layout, plan.title, {margin, baseline}, text_1);
  const Point at = plan.subtitle_below ? Point{margin, baseline + line_height * layout.options.text_size}
                                       : Point{margin + plan.title.width + title_gap, baseline};
  put_text(layout, plan.subtitle, at, text_2);
}

// The right end of what is on the page: the maps', or further where the words need it and the page has it.
double content_right(const Layout& layout, double left) {
  const Plan& plan = layout.plan;
  const TextLine words = layout.fonts.set(Face::regular, layout.options.text_size, scale_text(layout));
  double right = left + std::max({least_bar_width, words.width, width_of(layout, swatches(layout))});
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i) {
    const Box box = map_box(layout, i);
    right = std::max(right, box.x + box.width);
  }
  const double header = plan.title.width + (plan.subtitle_below ? 0 : title_gap + plan.subtitle.width);
  right = std::max({right, margin + header, margin + (plan.subtitle_below ? plan.subtitle.width : 0)});
  return std::min(right, layout.options.width - margin);
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
  HL_CHECK(plan_sizes(layout));
  plan_numbers(layout);

  place_header(layout);
  place_panels(layout);
  const Box first = map_box(layout, 0);
  const bool small = first.x + least_bar_width > options.width - margin;
  const double left = small ? snapped(layout, margin) : first.x;
  const double right = content_right(layout, left);
  double bottom = 0;
  for (Index i = 0; i < static_cast<Index>(figure.panels.size()); ++i) {
    const Box box = map_box(layout, i);
    bottom = std::max(bottom, box.y + box.height);
  }
  bottom += layout.plan.bar_room;
  layout.page.height = place_footer(layout, bottom, left, right);
  layout.page.width = right + margin;
  layout.page.colormap = figure.colormap;
  layout.page.transparent = options.transparent;
  if (options.exact_width) widen(layout);
  return std::move(layout.page);
}

}  // namespace headlight
