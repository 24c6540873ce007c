// The large map: labels, cells with their numbers, what is selected and pointed at, and the part of it that is shown.
#include <imgui.h>

#include <cmath>

#include "app/platform/input.h"
#include "app/widgets/controls.h"
#include "app/widgets/map_cells.h"
#include "app/widgets/map_part.h"

namespace headlight::app {

namespace {

// Of a row or column of the part that is shown, which begins at `first`.
std::string label(const std::vector<std::string>& labels, Index i, Index first) {
  return i < static_cast<Index>(labels.size()) ? labels[static_cast<std::size_t>(i)] : std::to_string(first + i);
}

struct Layout {
  Rect map;
  float cell_w = 0;
  float cell_h = 0;
  bool column_index = false;  // numbers stand between the columns' labels and the map
};

constexpr float index_gap = 5;    // px of the design, between a row's number and its label
constexpr float row_margins = 8;  // beside a row's label and its number, besides those that label_room() counts

// Room for the number before a row's label, px, with the gap between them; two digits at least.
float index_room(const Ui& ui, Index last) {
  return std::max(ui.px(20), std::ceil(ui.width_of(Type::number_small, std::to_string(last))) + ui.px(index_gap + 1));
}

// Room for the longest label, between 44 and `most`.
float label_room(const Ui& ui, const std::vector<std::string>& labels, float most) {
  float longest = labels.empty() ? ui.px(24) : 0;
  for (const auto& label : labels) longest = std::max(longest, ui.width_of(Type::label_strong, label));
  return std::clamp(std::ceil(longest) + ui.px(16), ui.px(44), most);
}

// Cells as large as there is room for, square where they can be. Where square ones would be too low to be as wide as
// their numbers, they are wider than high.
void size_cells(const Ui& ui, Layout& layout, Rect room, const HeatmapData& data) {
  const MatrixView& cells = data.map.cells;
  const auto rows = static_cast<float>(std::max<Index>(1, cells.rows)),
             columns = static_cast<float>(std::max<Index>(1, cells.columns));
  // Pairs are square; channels need not be.
  const bool pairs = data.row_role == Role::query && data.column_role == Role::key;
  const bool square = cells.rows <= 2 * cells.columns && cells.columns <= 2 * cells.rows;
  const float most = ui.px(160), widest = std::min(room.w / columns, cells.columns > 4 ? most : ui.px(260));
  layout.cell_w = widest;
  layout.cell_h = std::min(room.h / rows, most);
  if (square) layout.cell_w = layout.cell_h = std::min(layout.cell_w, layout.cell_h);
  // Only the diagonal of one sequence asks for squares: other cells may be oblong, so that the map fills its room.
  // Nor does it in a room twice as wide as high, where squares would leave most of it empty.
  const bool wide = room.w > 2 * room.h;
  if (square && (wide || !(pairs && cells.rows == cells.columns))) {
    const float oblong = wide ? 1.75F : 1.6F;
    layout.cell_h = std::min({room.h / rows, most, oblong * widest});
    layout.cell_w = std::min(widest, (pairs ? oblong : 2) * layout.cell_h);
  }
  const float with_numbers = ui.px(33);  // four characters, and air between them and the next cell's
  // Where single cells cannot be told apart, a map of pairs may be wider than high too.
  if (square && pairs && layout.cell_h < ui.px(8))
    layout.cell_w = std::max(layout.cell_w, std::min(widest, 1.35F * layout.cell_h));
  if (square && layout.cell_w < with_numbers && layout.cell_h >= ui.px(16))
    layout.cell_w = std::max(layout.cell_w, std::min(widest, with_numbers));
  // In a room that is too low for numbers, cells are wide enough for their columns' labels.
  if (square && room.h < ui.px(200)) layout.cell_w = std::max(layout.cell_w, std::min(widest, 2 * layout.cell_h));
  if (layout.cell_w >= 8 && layout.cell_h >= 8) {
    layout.cell_w = std::floor(layout.cell_w);
    layout.cell_h = std::floor(layout.cell_h);
  }
  layout.map = rounded({room.x, room.y, std::max(1.0F, layout.cell_w * columns), std::max(1.0F, layout.cell_h * rows)});
}

// The labels of the whole map take the room, so that the map stays where it is when a part of it is shown.
Layout lay_out(const Ui& ui, Rect box, const HeatmapData& data, const HeatmapData& whole) {
  const bool low = box.h < ui.px(330);
  const float left = row_label_room(ui, whole);
  float above = label_room(ui, whole.column_labels, ui.px(76));
  if (!low) above = std::max(above, ui.px(52)) + (data.column_indexed ? ui.px(8) : 0);
  Layout layout;
  layout.column_index = !low && data.column_indexed;
  size_cells(ui, layout, {box.x + left, box.y + above, std::max(1.0F, box.w - left), std::max(1.0F, box.h - above)},
             data);
  return layout;
}

Color32 label_color(const Ui& ui, const RoleColors& role, bool selected) {
  return selected ? role.main : ui.theme().text;
}

void draw_row_labels(Ui& ui, Rect box, const Layout& l, const HeatmapData& data) {
  const RoleColors role = role_colors(ui.theme(), data.row_role);
  const Index stride = label_stride(l.cell_h, ui.line_height(Type::note));
  const float index_width = index_room(ui, data.first_row + data.map.cells.rows - 1);
  for (Index i = 0; i < data.map.cells.rows; ++i) {
    const bool selected = data.row == i, pointed = data.pointed && data.pointed->row == i;
    if (i % stride != 0 && !selected) continue;
    if (!selected && data.row && std::abs(static_cast<float>(*data.row - i)) * l.cell_h < ui.line_height(Type::note))
      continue;
    const Rect cell = cell_rect(l.map, data.map.cells, i, 0);
    const float height = std::max(cell.h, ui.line_height(Type::note));
    Rect line{box.x, cell.middle().y - height / 2, l.map.x - box.x - ui.px(8), height};
    const Rect ground = line.inset(0, std::max(0.0F, (height - ui.px(32)) / 2));
    if (selected) ui.fill(ground, role.soft, ui.px(4));
    if (pointed && !selected) ui.frame(ground, role.main, ui.px(4));
    line = line.inset(ui.px(6), 0);
    const Type type = selected ? Type::label_strong : Type::label;
    const std::string name = label(data.row_labels, i, data.first_row);
    if (data.row_indexed) {
      Rect index = line;
      index.take_right(std::min(ui.width_of(type, name), line.w - index_width) + ui.px(index_gap));
      ui.text_in(Type::number_small, index, selected ? role.main : ui.theme().text_faint,
                 fmt::format("{}", data.first_row + i), Ui::Align::right);
      line.take_left(index_width);
    }
    ui.text_in(type, line, label_color(ui, role, selected), name, Ui::Align::right);
  }
}

// Whether the labels of columns need not be turned, as numbers of channels and single letters do not. Where not all are
// shown, they have the room that turned ones have at least.
bool labels_fit_upright(const Ui& ui, const Layout& l, const HeatmapData& data, Index stride) {
  const float line = ui.line_height(Type::label);
  const float room = std::max(l.cell_w, std::min(l.cell_w * static_cast<float>(stride), line)) - ui.px(4);
  const auto width = [&](Index j) {
    return ui.width_of(Type::label_strong, label(data.column_labels, j, data.first_column));
  };
  for (Index j = 0; j < data.map.cells.columns; ++j)
    if (width(j) > room) return false;
  return true;
}

void draw_column_labels(Ui& ui, Rect box, const Layout& l, const HeatmapData& data) {
  const RoleColors role = role_colors(ui.theme(), data.column_role);
  const Index stride = label_stride(l.cell_w, ui.line_height(Type::label));
  const bool upright = labels_fit_upright(ui, l, data, stride);
  for (Index j = 0; j < data.map.cells.columns; ++j) {
    const bool selected = data.column == j, pointed = data.pointed && data.pointed->column == j;
    if (j % stride != 0 && !selected) continue;
    if (!selected && data.column &&
        std::abs(static_cast<float>(*data.column - j)) * l.cell_w < ui.line_height(Type::label))
      continue;
    const Rect cell = cell_rect(l.map, data.map.cells, 0, j);
    const float width = std::max(cell.w, ui.line_height(Type::label));
    Rect line{cell.middle().x - width / 2, box.y, width, l.map.y - box.y - ui.px(6)};
    const Rect ground = line.inset(std::max(0.0F, (width - ui.px(32)) / 2), 0);
    if (selected) ui.fill(ground, role.soft, ui.px(4));
    if (pointed && !selected) ui.frame(ground, role.main, ui.px(4));
    if (l.column_index) {
      const Rect index = line.take_bottom(ui.px(14));
      if (l.cell_w >= ui.px(18))
        ui.text_in(Type::number_small, index, selected ? role.main : ui.theme().text_faint,
                   fmt::format("{}", data.first_column + j), Ui::Align::center);
    }
    const Type type = selected ? Type::label_strong : Type::label;
    const Color32 color = label_color(ui, role, selected);
    const std::string name = label(data.column_labels, j, data.first_column);
    line.h -= ui.px(l.column_index ? 2 : 6);
    if (upright)
      ui.text_in(type, line.take_bottom(ui.line_height(type)), color, name, Ui::Align::center);
    else
      ui.text_upwards(type, line, color, name);
  }
}

Type type_of_numbers(const Ui& ui, float cell_width) {
  if (cell_width < ui.px(34)) return Type::number_small;
  if (cell_width < ui.px(46)) return Type::number_note;
  return cell_width < ui.px(64) ? Type::number : Type::result;
}

// What stands in each cell, row by row, and how wide it is.
struct CellTexts {
  std::vector<std::string> texts;
  std::vector<float> widths;
};
CellTexts cell_texts(const Ui& ui, Type type, const HeatmapData& data, const ValueRange& range) {
  CellTexts cells;
  for (Index i = 0; i < data.map.cells.rows; ++i)
    for (Index j = 0; j < data.map.cells.columns; ++j) {
      cells.texts.push_back(data.text ? data.text(data.first_row + i, data.first_column + j)
                                      : cell_text(data.map.cells.at(i, j), range));
      cells.widths.push_back(ui.width_of(type, cells.texts.back()));
    }
  return cells;
}

// The range in which numbers have no decimals, for a range of tens; nothing for another.
std::optional<ValueRange> range_of_whole_numbers(ValueRange range) {
  const float bound = std::max(std::abs(range.low), std::abs(range.high));
  if (bound < 10 || bound >= 100) return std::nullopt;
  range.high = 100;
  return range;
}

// Whether texts of those widths in the middles of cells meet their neighbours, in more than one pair of ten.
bool run_together(const std::vector<float>& widths, Index columns, float cell_width) {
  Index pairs = 0, meeting = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (static_cast<Index>(i) % columns == 0) continue;
    ++pairs;
    meeting += (widths[i - 1] + widths[i]) / 2 > cell_width ? 1 : 0;
  }
  return 10 * meeting > pairs;
}

void draw_cell_numbers(Ui& ui, const Layout& l, const HeatmapData& data) {
  if (!data.numbers || l.cell_w < ui.px(28) || l.cell_h < ui.px(16)) return;
  const Type type = type_of_numbers(ui, l.cell_w);
  CellTexts cells = cell_texts(ui, type, data, data.map.range);
  constexpr float air = 3;  // px of the design, between two numbers
  const auto have_room = [&] { return !run_together(cells.widths, data.map.cells.columns, l.cell_w - ui.px(air)); };
  if (!have_room()) {
    const auto whole = range_of_whole_numbers(data.map.range);
    if (!whole || data.text) return;
    cells = cell_texts(ui, type, data, *whole);
    if (!have_room()) return;
  }
  const HeatmapStyle style = ui.theme().dark ? dark_heatmap_style(ui.scale()) : light_heatmap_style(ui.scale());
  const ColorTable table = color_table(data.map.colormap);
  for (Index i = 0; i < data.map.cells.rows; ++i)
    for (Index j = 0; j < data.map.cells.columns; ++j) {
      const float value = data.map.cells.at(i, j);
      const auto at = static_cast<std::size_t>(i * data.map.cells.columns + j);
      const std::string& text = cells.texts[at];
      if (text.empty()) continue;
      const bool striped = is_broken(value) || is_masked(value);
      Color ground = is_masked(value) ? style.hatch_ground : style.stripe_ground;
      if (!striped) ground = color_at(table, normalise(value, data.map.range));
      const Rect cell = cell_rect(l.map, data.map.cells, i, j);
      const float width = cells.widths[at];
      if (width > cell.w) continue;
      if (striped)
        ui.fill({cell.middle().x - width / 2, cell.middle().y - ui.px(8), width, ui.px(16)}, color32(ground));
      ui.text_in(type, cell, color32(readable_text_on(ground)), text, Ui::Align::center);
    }
}

// A ring with a halo of the canvas's colour, so that it shows on any cell.
void draw_ring(Ui& ui, Rect r, Color32 color, float thickness) {
  ui.frame(r.inset(-1), ui.theme().canvas, 0, thickness + 2);
  ui.frame(r, color, 0, thickness);
}

// Where a cross-fade and a moving selection are now.
struct Motion {
  float fade = 1;  // of the new map: 1 when the old one is gone
  float row = 0;   // the selected row and column on their way
  float column = 0;
};

Motion move(Ui& ui, const std::string& path, const Layout& l, const HeatmapData& data) {
  constexpr double duration = 0.2;
  FadingMap& fading = ui.memory().fading[path];
  const bool other = fading.shown.key != data.map.key || fading.shown.numbers != data.map.numbers;
  if (other) {
    // Steps of one run fade into each other; what was computed anew is there at once.
    const bool same_run = fading.shown.numbers.run == data.map.numbers.run &&
                          fading.shown.numbers.what != data.map.numbers.what && !ui.memory().reduce_motion;
    fading.map = fading.shown;
    fading.rect = fading.shown_rect;
    fading.since = same_run ? ui.now() : -1;
  }
  fading.shown = data.map;
  fading.shown_rect = l.map;
  Motion motion;
  const double t = fading.since < 0 ? 1 : std::clamp((ui.now() - fading.since) / duration, 0.0, 1.0);
  motion.fade = static_cast<float>(1 - std::pow(1 - t, 3));
  if (t < 1) ui.redraw_at(ui.now());
  const bool jump = other || !data.pinned;
  constexpr double move = 0.12;
  if (data.row) motion.row = ui.glide(path + "/row", static_cast<float>(*data.row), move, jump);
  if (data.column) motion.column = ui.glide(path + "/column", static_cast<float>(*data.column), move, jump);
  return motion;
}

// The map that goes, over the one that comes.
void draw_leaving(Ui& ui, const std::string& path, float fade) {
  const FadingMap& fading = ui.memory().fading[path];
  draw_map(ui, fading.map, fading.rect, MapSize::large, fading.map.cells.rows <= 64 && fading.map.cells.columns <= 64,
           1 - fade);
}

// A cell's place on its way between two others: exact at rest.
Rect moving_cell(Rect map, const MatrixView& cells, float row, float column) {
  const auto between = [](float at, auto&& rect) {
    const auto low = static_cast<Index>(std::floor(at)), high = static_cast<Index>(std::ceil(at));
    const Rect a = rect(low), b = rect(high);
    const float t = at - static_cast<float>(low);
    return Rect{a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.w, a.h};
  };
  const Rect across = between(column, [&](Index j) { return cell_rect(map, cells, 0, j); });
  const Rect down = between(row, [&](Index i) { return cell_rect(map, cells, i, 0); });
  return {std::round(across.x), std::round(down.y), across.w, down.h};
}

void draw_selection(Ui& ui, const Layout& l, const HeatmapData& data, const Motion& motion) {
  const MatrixView& cells = data.map.cells;
  const float thick = ui.px(2);
  const bool has_row = data.row && *data.row < cells.rows, has_column = data.column && *data.column < cells.columns;
  const float last_row = static_cast<float>(cells.rows - 1), last_column = static_cast<float>(cells.columns - 1);
  const Rect cell = moving_cell(l.map, cells, has_row ? std::min(motion.row, last_row) : 0,
                                has_column ? std::min(motion.column, last_column) : 0);
  if (has_column)
    draw_ring(ui, Rect{cell.x, l.map.y, cell.w, l.map.h}.inset(-1), role_colors(ui.theme(), data.column_role).main,
              thick);
  if (has_row)
    draw_ring(ui, Rect{l.map.x, cell.y, l.map.w, cell.h}.inset(-1), role_colors(ui.theme(), data.row_role).main, thick);
  if (has_row && has_column) draw_ring(ui, cell.inset(-1), ui.theme().ink, ui.px(3));
}

// The cell that the pinned one is compared with.
void draw_second(Ui& ui, const Layout& l, const HeatmapData& data) {
  const MatrixView& cells = data.map.cells;
  if (!data.second || data.second->row >= cells.rows || data.second->column >= cells.columns) return;
  const Rect cell = cell_rect(l.map, cells, data.second->row, data.second->column);
  if (data.row && data.column && *data.row < cells.rows && *data.column < cells.columns) {
    const Rect first = cell_rect(l.map, cells, *data.row, *data.column);
    const Point from{std::min(first.x, cell.x), std::min(first.y, cell.y)};
    const Rect block{from.x, from.y, std::max(first.right(), cell.right()) - from.x,
                     std::max(first.bottom(), cell.bottom()) - from.y};
    ui.frame(block.inset(-1), ui.theme().ink, 0, std::max(1.0F, ui.px(1)));
    ui.log("heatmap/block", block);
  }
  draw_ring(ui, cell.inset(-1), ui.theme().ink, ui.px(2));
  ui.log("heatmap/second", cell);
}

// What is pointed at while another cell is pinned: its row, column and cell in thin lines.
void draw_pointed(Ui& ui, const Layout& l, const HeatmapData& data) {
  if (!data.pointed) return;
  const Rect cell = cell_rect(l.map, data.map.cells, data.pointed->row, data.pointed->column);
  ui.frame(Rect{cell.x, l.map.y, cell.w, l.map.h}, role_colors(ui.theme(), data.column_role).main);
  ui.frame(Rect{l.map.x, cell.y, l.map.w, cell.h}, role_colors(ui.theme(), data.row_role).main);
  draw_ring(ui, cell, ui.theme().ink, std::max(1.0F, ui.px(1)));
}

// ---- The part of a large map that is shown --------------------------------------------------------------------------

// A drag with Shift marks the cells from where it began to where it is.
void mark(Ui& ui, MapPart& part, const Rect& map, const MatrixView& shown, HeatmapResult& result) {
  if (!part.drag) part.drag = MapPart::Drag{ui.mouse(), part.row, part.column, false};
  const Point from = part.drag->from;
  part.drag->moved = part.drag->moved || std::hypot(ui.mouse().x - from.x, ui.mouse().y - from.y) >= ui.px(4);
  if (!part.drag->moved || !result.hovered) return;
  const CellAt began{part.row + position_at(from.y - map.y, map.h, shown.rows),
                     part.column + position_at(from.x - map.x, map.w, shown.columns)};
  result.marked = std::pair(began, *result.hovered);
}

// The whole map, small, with the part that is shown.
void draw_overview(Ui& ui, const std::string& path, const HeatmapData& whole, const MapPart& part, Rect map) {
  const Rect box = begin_overview(ui, map, whole.map.cells, ui.mouse());
  MapData small = whole.map;
  small.key = path + "/overview";
  draw_map(ui, small, box, MapSize::small);
  frame_part(ui, path, box, part, whole.map.cells);
}

void draw_cells(Ui& ui, const std::string& path, const Layout& l, const HeatmapData& data) {
  const MatrixView& cells = data.map.cells;
  const Motion motion = move(ui, path, l, data);
  draw_map(ui, data.map, l.map, MapSize::large, cells.rows <= 64 && cells.columns <= 64);
  for (const Index column : data.column_groups) {
    const float x = l.map.x + cell_start(column, cells.columns, l.map.w);
    ui.line({x, l.map.y}, {x, l.map.bottom()}, ui.theme().text, 1);
  }
  if (data.over) data.over(l.map, data);
  ui.frame(l.map.inset(-1), ui.theme().line_strong);
  if (motion.fade < 1)
    draw_leaving(ui, path, motion.fade);
  else
    draw_cell_numbers(ui, l, data);
  draw_selection(ui, l, data, motion);
  draw_second(ui, l, data);
  draw_pointed(ui, l, data);
}

}  // namespace

float row_label_room(const Ui& ui, const HeatmapData& data) {
  if (data.bare_rows) return ui.px(2);
  float names = label_room(ui, data.row_labels, ui.px(84));
  if (data.row_indexed) {
    const float index = index_room(ui, data.map.cells.rows - 1);
    names = std::min(names + index + ui.px(row_margins), ui.px(84) + index);
  }
  const float captions =
      std::max(ui.width_of(Type::heading, data.row_name), ui.width_of(Type::heading, data.column_name)) + ui.px(8);
  return std::max({ui.px(60), captions, names});
}

HeatmapResult heatmap(Ui& ui, const std::string& path, Rect box, const HeatmapData& whole) {
  HeatmapResult result;
  MapPart& part = ui.memory().parts[path];
  if (part.rows != whole.map.cells.rows || part.columns != whole.map.cells.columns)
    part = MapPart{whole.map.cells.rows, whole.map.cells.columns, 1, 0, 0, {}};
  keep_inside(part, whole.map.cells);
  result.shown = part_of(whole, part);
  const HeatmapData& data = result.shown;
  const MatrixView& cells = data.map.cells;
  const Layout l = lay_out(ui, box, data, whole);
  result.map = l.map;
  if (!data.bare_rows) {
    // Each beside what it names: the columns' labels at the right of it, those of the rows below it.
    ui.text(Type::heading, {box.x, box.y + ui.px(4)}, role_colors(ui.theme(), data.column_role).main, data.column_name);
    ui.text(Type::heading, {box.x, l.map.y - ui.px(22)}, role_colors(ui.theme(), data.row_role).main, data.row_name);
    draw_row_labels(ui, box, l, data);
  }
  draw_column_labels(ui, box, l, data);
  draw_cells(ui, path, l, data);
  const auto hit = ui.hit(path, l.map, true, fmt::format("{}×{}", cells.rows, cells.columns));
  if (hit.focused) ui.focus_ring(l.map, 0);
  if (part.zoom > 1) draw_overview(ui, path, whole, part, l.map);
  if (hit.hovered || hit.clicked) {
    const CellAt at{position_at(ui.mouse().y - l.map.y, l.map.h, cells.rows),
                    position_at(ui.mouse().x - l.map.x, l.map.w, cells.columns)};
    const CellAt cell{part.row + at.row, part.column + at.column};
    if (hit.hovered) {
      result.hovered = cell;
      result.hovered_rect = cell_rect(l.map, cells, at.row, at.column);
    }
    if (hit.clicked && hit.hovered) result.clicked = cell;
    if (hit.menu) result.menu = cell;
  }
  const Rect names{box.x, l.map.y, l.map.x - box.x, l.map.h};
  if (!data.bare_rows && ImGui::IsMouseClicked(1) && ui.mouse_in(names))
    result.menu_row = part.row + position_at(ui.mouse().y - l.map.y, l.map.h, cells.rows);
  result.held = hit.held && ui.mouse_down();
  if (whole.pans && result.held && modifiers().shift)
    mark(ui, part, l.map, cells, result);
  else if (whole.pans && pan(ui, part, l.map, whole.map.cells, result.held))
    result.clicked.reset();
  zoom(ui, part, l.map, whole.map.cells, [&] { return lay_out(ui, box, part_of(whole, part), whole).map; });
  return result;
}

}  // namespace headlight::app
