// Chooses sizes for everything on a page. The aim is the largest cells that the page has room for; what else is wanted
// gives way in this order:
//   1. The columns of panels: as many as leave every title whole, every cell drawable and the numbers in cells
//   readable.
//   2. The colour bar: beside the panels where they show as much there and stay nearly as wide, else below them.
//   3. Cells: square, up to `largest_cell`; pooled into blocks where they would be less than a pixel.
//   4. Labels: from `text_size` down to `smallest_text` as the cells allow, then only some of them.
// Labels take room from cells, and the cells decide which labels are shown: sizes are computed again until the room for
// labels stays the same.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/page/layout_parts.h"

namespace headlight::layout_parts {

namespace {

constexpr Index most_columns = 4;       // unless more are asked for
constexpr double largest_cell = 27;     // cells of a small matrix do not grow beyond this
constexpr double largest_label = 72;    // longer labels are cut
constexpr double number_width = 0.6;    // of a character of JetBrains Mono, of its size
constexpr double number_padding = 3.5;  // left and right of a number in its cell, together
constexpr double footer_height = 48;
constexpr double least_side_bar = 60;        // a bar beside the maps that is lower is hard to read
constexpr double least_part_of_width = 0.8;  // that a bar beside the maps may leave them, of what they have above one
constexpr double least_map = 12;             // a map smaller than this says nothing
constexpr double least_of_many = 6;          // but in a large grid, where it is seen beside others

double label_limit(const Layout& layout) {
  return std::min(largest_label, layout.options.width / 5);
}

// Of the names of the axes, which say what all labels are: no fewer words on a wide page than it has room for.
double name_limit(const Layout& layout) {
  return layout.options.width / 5;
}

// Of which labels every so many are shown, as far as the cells are known already.
Index shown_step(const Plan& plan, const Panel& panel, bool of_rows) {
  const double cell = of_rows ? plan.cell_height : plan.cell_width;
  if (panel.kind != PanelKind::map || cell <= 0) return 1;
  const Index block = of_rows ? plan.block.rows : plan.block.columns;
  return label_step(cell / static_cast<double>(block), plan.label_size,
                    of_rows ? panel.row_labels.empty() : panel.column_labels.empty());
}

// The same for the words at the sides of lines and over bars, once their room is known.
Index named_step(const Plan& plan, const Panel& panel, bool of_rows) {
  const auto& labels = of_rows ? panel.row_labels : panel.column_labels;
  if (labels.empty()) return 1;
  if (panel.kind == PanelKind::map) return shown_step(plan, panel, of_rows);
  double pitch = 0;
  if (panel.kind == PanelKind::lines) pitch = plan.map_height / static_cast<double>(labels.size());
  if (panel.kind == PanelKind::bars && !of_rows) pitch = plan.cell_width / static_cast<double>(plan.block.columns);
  return pitch > 0 ? label_step(pitch, plan.label_size, false) : 1;
}

// The width of the widest label that is shown, of all panels.
double widest_label(const Layout& layout, bool of_rows) {
  double widest = 0;
  for (const Panel& panel : layout.figure.panels) {
    if (of_rows && panel.kind == PanelKind::bars)
      for (const ScaleTick& tick : scale_ticks(range_of(layout.figure, panel)))
        widest = std::max(widest, layout.fonts.set(Face::mono, tick_size(layout), tick.text).width + tick_length);
    if (!has_labels(panel, of_rows)) continue;
    const auto& labels = of_rows ? panel.row_labels : panel.column_labels;
    const Index count = of_rows ? panel.cells.rows : panel.cells.columns;
    const Index first = of_rows ? panel.first_row : panel.first_column;
    const Index step = shown_step(layout.plan, panel, of_rows);
    for (Index i = labels.empty() ? 0 : first_label(step, first); i < count; i += labels.empty() ? 1 : step) {
      if (labels.empty() && i > 0 && i + 1 < count) continue;  // the first and last numbers are the longest
      widest = std::max(widest, layout.fonts.width_up_to(label_limit(layout), Face::regular, layout.plan.label_size,
                                                         label_at(labels, i, first)));
    }
    // Then all maps have the same labels.
    if (panel.kind == PanelKind::map && (of_rows ? layout.plan.rows_shared : layout.plan.columns_shared)) break;
  }
  return std::min(widest, label_limit(layout));
}

void set_columns(Plan& plan, Index panels, Index columns) {
  plan.columns = std::min(panels, columns);
  plan.rows = (panels + plan.columns - 1) / plan.columns;
}

void plan_panels(Layout& layout) {
  Plan& plan = layout.plan;
  const auto& panels = layout.figure.panels;
  const auto count = static_cast<Index>(panels.size());
  set_columns(plan, count, layout.figure.grid_columns > 0 ? layout.figure.grid_columns : most_columns);
  bool titled = false;
  for (const Panel& panel : panels) {
    plan.cell_rows = std::max(plan.cell_rows, extents_of(panel).rows);
    plan.cell_columns = std::max(plan.cell_columns, extents_of(panel).columns);
    plan.colored = plan.colored || has_colors(panel) ||
                   (panel.kind == PanelKind::lines && range_of(layout.figure, panel).is_signed());
    if (panel.kind != PanelKind::lines) plan.extent = united(plan.extent, extent_of(panel.cells));
    const auto same = [&](auto labels, auto extent) {
      return panel.kind == panels[0].kind && panel.*labels == panels[0].*labels &&
             panel.cells.*extent == panels[0].cells.*extent;
    };
    plan.rows_shared = plan.rows_shared && same(&Panel::row_labels, &MatrixView::rows);
    plan.columns_shared = plan.columns_shared && same(&Panel::column_labels, &MatrixView::columns);
    plan.own_bars = plan.own_bars || range_of(layout.figure, panel) != range_of(layout.figure, panels[0]);
    titled = titled || !panel.title.empty() || !panel.mark.empty();
  }
  if (!layout.figure.row_titles.empty()) plan.headings = layout.options.text_size * line_height;
  if (plan.own_bars) plan.bar_room = own_bar_gap + own_bar_height + tick_length + 1.4 * tick_size(layout);
  plan.title_text = layout.options.text_size;
  plan.title_height = titled && count > 1 ? layout.options.text_size * line_height + 2 : 0;
  const bool marked = std::ranges::any_of(panels, [](const Panel& panel) { return !panel.mark.empty(); });
  const bool named_by_sides = !layout.figure.column_titles.empty() && !marked;
  plan.lower_titles = named_by_sides ? 0 : plan.title_height;
  plan.of_many = named_by_sides && plan.columns > most_columns && !layout.figure.rows_are.empty();
  if (plan.of_many) plan.below = small_gap;
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
  plan.title = layout.fonts.set_within(limit, Face::semibold, title_size(layout), title);
  plan.subtitle = layout.fonts.set_within(limit, Face::regular, size, subtitle);
  plan.subtitle_below = plan.title.width + title_gap + plan.subtitle.width > limit;
  plan.header = title_size(layout) * line_height + 3 + (plan.subtitle_below ? size * line_height : 0);
}

void plan_labels(Layout& layout) {
  Plan& plan = layout.plan;
  const auto& panels = layout.figure.panels;
  if (std::ranges::all_of(panels, [](const Panel& panel) { return panel.kind == PanelKind::picture; })) {
    plan.left = plan.top = 0;  // pictures have no labels
    return;
  }
  if (plan.unlabelled) {
    plan.headings = plan.title_height = 0;
    plan.left = std::max(grid_name(layout, true).width, grid_name(layout, false).width) + label_gap;
    plan.top = 2 * line_height * plan.label_size + label_gap;
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
  return footer_gap + (has_scale_below(layout.plan) ? footer_height : 2 * line_height * layout.options.text_size);
}

// Whether some words at the sides of a small map have no room.
bool leaves_labels_out(const Layout& layout) {
  const Panel& panel = layout.figure.panels.front();
  return panel.kind == PanelKind::map &&
         (shown_step(layout.plan, panel, true) > 1 || shown_step(layout.plan, panel, false) > 1);
}

// Labels and cells share the page: labels as large as they may be, then as large as the cells they got allow.
Status plan_sizes(Layout& layout) {
  Plan& plan = layout.plan;
  plan.label_size = layout.options.text_size;
  plan.cell_width = plan.cell_height = 0;
  constexpr int least_passes =
      5;  // after which the room for labels only grows: two sizes could follow each other for ever
  for (int pass = 0;; ++pass) {
    const double left = plan.left, top = plan.top;
    plan_labels(layout);
    if (pass >= least_passes) {
      plan.left = std::max(plan.left, left);
      plan.top = std::max(plan.top, top);
    }
    if (pass > 1 && plan.left == left && plan.top == top) break;
    const auto columns = static_cast<double>(plan.columns);
    const auto rows = static_cast<double>(plan.rows);
    const double labels_across = plan.left * (plan.rows_shared ? 1 : columns);
    const double labels_down = plan.top * (plan.columns_shared ? 1 : rows);
    const double width = (layout.options.width - 2 * margin - plan.headings - labels_across -
                          plan.below * (columns - 1) - plan.bar_column) /
                         columns;
    const double height =
        (layout.options.max_height - 2 * margin - plan.header - labels_down - plan.title_height -
         plan.lower_titles * (rows - 1) - plan.bar_room * rows - plan.below * (rows - 1) - footer_room(layout)) /
        rows;
    if (const double least = plan.of_many ? least_of_many : least_map; width < least || height < least)
      return fail("page: {} × {} points have no room for {} × {} maps: make it larger, or change the columns",
                  layout.options.width, layout.options.max_height, plan.rows, plan.columns);
    plan_cells(layout, width, height);
    plan.spare = std::max(0.0, width - plan.map_width);
    if (pass > 0 && plan.of_many && !plan.unlabelled && leaves_labels_out(layout)) {
      plan.unlabelled = true;
      return plan_sizes(layout);
    }
    if (pass > 0) continue;
    const double pitch = std::min(plan.cell_width, plan.cell_height) / label_pitch;
    plan.label_size = std::clamp(pitch, layout.options.smallest_text, layout.options.text_size);
    if (plan.unlabelled) plan.label_size = std::max(layout.options.smallest_text, 0.75 * layout.options.text_size);
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

// Parts the panels as far as their titles need and the page has it.
void plan_gap(Layout& layout) {
  Plan& plan = layout.plan;
  plan.gap = plan.below;
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i)
    if ((i + 1) % plan.columns != 0) plan.gap = std::max(plan.gap, title_width(layout, i) + tick_gap - plan.map_width);
  plan.gap = std::min(std::ceil(plan.gap / layout.grid) * layout.grid, plan.below + plan.spare);
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
    plan_gap(layout);
    plan_numbers(layout);
    if (bar != BarPlace::beside || lines == 0) break;
    plan.bar_words = side_bar_words(layout, panel_block(layout).height, lines);
    if (!plan.bar_words.empty()) break;
  }
  return {};
}

// How many panels' titles do not fit.
Index clipped_titles(const Layout& layout) {
  Index count = 0;
  for (Index i = 0; layout.plan.title_height > 0 && i < static_cast<Index>(layout.figure.panels.size()); ++i)
    count += title_width(layout, i) > title_room(layout.plan, i % layout.plan.columns) + 0.01;
  return count;
}

// Makes panels' titles as small as they must be to stand whole, if that can be read.
void shrink_titles(Layout& layout) {
  Plan& plan = layout.plan;
  double part = 1;
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i)
    if (const double width = title_width(layout, i); width > 0)
      part = std::min(part, title_room(plan, i % plan.columns) / width);
  plan.title_text = std::max(layout.options.smallest_text, part * plan.title_text);
}

// Whether panels with a bar beside them show as much as with one below, and not much smaller.
bool shows_as_much(const Layout& with_beside, const Layout& with_below) {
  const Plan &beside = with_beside.plan, &below = with_below.plan;
  const bool labelled = std::ranges::any_of(with_below.figure.panels, [](const Panel& panel) {
    return !panel.row_labels.empty() || !panel.column_labels.empty();
  });
  const auto step = [](const Plan& plan) {
    return label_step(std::min(plan.cell_width / static_cast<double>(plan.block.columns),
                               plan.cell_height / static_cast<double>(plan.block.rows)),
                      plan.label_size, false);
  };
  return beside.map_width >= least_part_of_width * below.map_width && (!labelled || step(beside) <= step(below)) &&
         beside.block.rows * beside.block.columns <= below.block.rows * below.block.columns &&
         (beside.number_size > 0 || below.number_size == 0) &&
         clipped_titles(with_beside) <= clipped_titles(with_below);
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
  if (!readable || (below && !shows_as_much(beside, layout))) return below;
  layout.plan = std::move(beside.plan);
  return {};
}

// Whether cells are so fine that programs which draw the page leave some of them out.
bool has_tiny_cells(const Plan& plan) {
  constexpr double least_cell = 0.5;
  return !plan.block.single() || std::min(plan.cell_width, plan.cell_height) < least_cell;
}

// Whether there is room for the numbers that are asked for in cells.
bool has_numbers(const Layout& layout) {
  return layout.options.cell_numbers == CellNumbers::none || layout.plan.number_size > 0;
}

// Where nobody says how many panels stand side by side: as many as leave their titles whole and their cells drawable,
// else as many as cut the fewest.
Status plan_columns(Layout& layout) {
  const auto count = static_cast<Index>(layout.figure.panels.size());
  const Layout start = layout;
  Status planned = plan_bar(layout);
  if (layout.figure.grid_columns > 0 || count < 2) return planned;
  for (Index columns = std::min(count, most_columns) - 1; columns > 1; --columns) {
    if (planned && clipped_titles(layout) == 0 && !has_tiny_cells(layout.plan) && has_numbers(layout)) break;
    if (columns == 3 && count % 3 != 0 && count % 2 == 0) continue;  // two rows of two, rather than three and one
    Layout fewer = start;
    set_columns(fewer.plan, count, columns);
    if (!plan_bar(fewer)) continue;
    const Index cut = clipped_titles(fewer), had = planned ? clipped_titles(layout) : count + 1;
    const bool finer = planned && has_tiny_cells(layout.plan) && !has_tiny_cells(fewer.plan);
    const bool numbered = planned && !has_numbers(layout) && has_numbers(fewer);
    if (cut > had || (cut == had && !finer && !numbered)) continue;
    layout.plan = std::move(fewer.plan);
    planned = {};
  }
  return planned;
}

}  // namespace

double title_size(const Layout& layout) {
  constexpr double usual = 8;  // below it a venue has asked for small text, and means the title too
  if (layout.options.text_size < usual) return layout.options.text_size;
  return std::max(11.0, 1.2 * layout.options.text_size);
}

bool has_colors(const Panel& panel) {
  return panel.kind == PanelKind::map || panel.kind == PanelKind::picture;
}

bool has_labels(const Panel& panel, bool of_rows) {
  return panel.kind == PanelKind::map || panel.kind == (of_rows ? PanelKind::lines : PanelKind::bars);
}

TextLine axis_line(const Layout& layout, const AxisName& axis, const char* arrow) {
  if (axis.name.empty()) return {};
  const bool of_rows = &axis == &layout.figure.row_axis;
  const Panel& panel = layout.figure.panels.front();
  const Index step = named_step(layout.plan, panel, of_rows);
  // Words that stand edge to edge pose as the whole sentence.
  const std::string thinned = step > 1 ? fmt::format(" (1 in {})", step) : "";
  return layout.fonts.set_within(name_limit(layout), Face::semibold, layout.plan.label_size,
                                 axis.name + arrow + thinned);
}

TextLine grid_name(const Layout& layout, bool of_rows) {
  const std::string& name = of_rows ? layout.figure.rows_are : layout.figure.columns_are;
  return layout.fonts.set_within(name_limit(layout), Face::semibold, layout.plan.label_size,
                                 name + (of_rows ? " ↓" : " →"));
}

double corner_reach(double label_size, double cell) {
  return std::max(0.0, label_size - cell) / 2;
}

std::string title_of(const Layout& layout, Index panel) {
  if (layout.figure.column_titles.empty()) return layout.figure.panels[static_cast<std::size_t>(panel)].title;
  return panel < layout.plan.columns ? layout.figure.column_titles[static_cast<std::size_t>(panel)] : "";
}

double title_width(const Layout& layout, Index panel) {
  const double size = layout.plan.title_text;
  const std::string& mark = layout.figure.panels[static_cast<std::size_t>(panel)].mark;
  const std::string title = title_of(layout, panel);
  const double mark_width = mark.empty() ? 0 : layout.fonts.set(Face::semibold, size, mark).width + mark_gap * size;
  constexpr double widest_page = 5000;  // points
  return mark_width + (title.empty() ? 0 : layout.fonts.width_up_to(widest_page, Face::regular, size, title));
}

double title_room(const Plan& plan, Index column) {
  if (column + 1 < plan.columns) return plan.map_width + plan.gap - tick_gap;
  return plan.map_width + (plan.bar == BarPlace::beside ? plan.bar_column : plan.spare);
}

Status plan_layout(Layout& layout) {
  plan_panels(layout);
  plan_header(layout);
  HL_CHECK(plan_columns(layout));
  shrink_titles(layout);
  return {};
}

}  // namespace headlight::layout_parts
