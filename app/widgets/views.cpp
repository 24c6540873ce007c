#include "app/widgets/views.h"

#include <imgui.h>

#include <cmath>

#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

ImTextureID texture_id(std::uintptr_t texture) {
  return (ImTextureID)(texture);
}  // a pointer or a number, by version

Color32 color32(Color c) {
  return 0xFF000000U | (static_cast<Color32>(c.b) << 16) | (static_cast<Color32>(c.g) << 8) | c.r;
}

HeatmapStyle style_of(const Ui& ui) {
  return ui.theme().dark ? dark_heatmap_style(ui.scale()) : light_heatmap_style(ui.scale());
}

Rect rounded(Rect r) {
  const float x = std::round(r.x), y = std::round(r.y);
  return {x, y, std::round(r.right()) - x, std::round(r.bottom()) - y};
}

// Every how many-th label fits when each takes `needed` of `available`: 1, 2, 5, 10, 20, 50 …
Index label_stride(float available, float needed) {
  Index stride = 1;
  for (int i = 0; static_cast<float>(stride) * available < needed && i < 40; ++i)
    stride = i % 3 == 1 ? stride / 2 * 5 : stride * 2;
  return stride;
}

std::string label(const std::vector<std::string>& labels, Index i) {
  return i < static_cast<Index>(labels.size()) ? labels[static_cast<std::size_t>(i)] : std::to_string(i);
}

// Where the pixels of a cell begin, by the rasterizer's rule: the first x with ⌊(2x + 1) · cells / (2 · pixels)⌋ =
// cell.
float cell_start(Index cell, Index cells, float pixels) {
  return std::ceil((2 * static_cast<float>(cell) * pixels / static_cast<float>(cells) - 1) / 2);
}

Rect cell_rect(Rect map, const MatrixView& cells, Index row, Index column) {
  const float x = cell_start(column, cells.columns, map.w), y = cell_start(row, cells.rows, map.h);
  return {map.x + x, map.y + y, cell_start(column + 1, cells.columns, map.w) - x,
          cell_start(row + 1, cells.rows, map.h) - y};
}

Index position_at(float offset, float pixels, Index cells) {
  const auto x = static_cast<Index>(std::floor(offset));
  return std::clamp<Index>((2 * x + 1) * cells / (2 * static_cast<Index>(pixels)), 0, cells - 1);
}

}  // namespace

void draw_map(Ui& ui, const MapData& map, Rect box, MapSize size, bool gaps, float opacity) {
  const Rect r = rounded(box);
  HeatmapStyle style = style_of(ui);
  const double across = r.w / static_cast<double>(std::max<Index>(1, map.cells.columns));
  const double down = r.h / static_cast<double>(std::max<Index>(1, map.cells.rows));
  if (size == MapSize::small) style.hatch_line = style.hatch_ground;
  style.gap = gaps ? gap_for_cells(across, down, ui.scale()) : 0;
  const auto texture = ui.painter().paint(map.key, map.numbers, map.cells, static_cast<int>(r.w), static_cast<int>(r.h),
                                          {map.range, map.colormap, style});
  if (texture)
    ui.list().AddImage(texture_id(texture), {r.x, r.y}, {r.right(), r.bottom()}, {0, 0}, {1, 1},
                       with_alpha(0xFFFFFFFFU, opacity));
}

namespace {

struct Layout {
  Rect map;
  float cell_w = 0;
  float cell_h = 0;
};

// Room for the longest label, between 40 and `most`.
float label_room(const Ui& ui, const std::vector<std::string>& labels, float most) {
  float longest = labels.empty() ? ui.px(24) : 0;
  for (const auto& label : labels) longest = std::max(longest, ui.width_of(Type::label_strong, label));
  return std::clamp(std::ceil(longest) + ui.px(16), ui.px(44), most);
}

Layout lay_out(const Ui& ui, Rect box, const HeatmapData& data) {
  const MatrixView& cells = data.map.cells;
  const float left = ui.px(76), above = label_room(ui, data.column_labels, ui.px(76));
  const Rect room{box.x + left, box.y + above, box.w - left, box.h - above};
  const auto rows = static_cast<float>(std::max<Index>(1, cells.rows)),
             columns = static_cast<float>(std::max<Index>(1, cells.columns));
  const bool square = cells.rows <= 2 * cells.columns && cells.columns <= 2 * cells.rows;
  Layout layout;
  layout.cell_w = std::min(room.w / columns, ui.px(40));
  layout.cell_h = std::min(room.h / rows, ui.px(40));
  if (square) layout.cell_w = layout.cell_h = std::min(layout.cell_w, layout.cell_h);
  if (layout.cell_w >= 8 && layout.cell_h >= 8) {
    layout.cell_w = std::floor(layout.cell_w);
    layout.cell_h = std::floor(layout.cell_h);
  }
  layout.map = rounded({room.x, room.y, std::max(1.0F, layout.cell_w * columns), std::max(1.0F, layout.cell_h * rows)});
  return layout;
}

void draw_row_labels(Ui& ui, Rect box, const Layout& l, const HeatmapData& data) {
  const RoleColors role = role_colors(ui.theme(), data.row_role);
  const Index stride = label_stride(l.cell_h, ui.line_height(Type::note));
  for (Index i = 0; i < data.map.cells.rows; ++i) {
    const bool selected = data.row == i;
    if (i % stride != 0 && !selected) continue;
    if (!selected && data.row && std::abs(static_cast<float>(*data.row - i)) * l.cell_h < ui.line_height(Type::note))
      continue;
    const Rect cell = cell_rect(l.map, data.map.cells, i, 0);
    const float height = std::max(cell.h, ui.line_height(Type::note) + ui.px(2));
    const Rect line{box.x, cell.middle().y - height / 2, l.map.x - box.x - ui.px(8), height};
    if (selected) ui.fill(line.inset(0, std::max(0.0F, (height - ui.px(32)) / 2)), role.soft, ui.px(4));
    ui.text_in(selected ? Type::label_strong : Type::label, line.inset(ui.px(6), 0),
               selected ? role.main : ui.theme().text, label(data.row_labels, i), Ui::Align::right);
  }
}

void draw_column_labels(Ui& ui, Rect box, const Layout& l, const HeatmapData& data) {
  const RoleColors role = role_colors(ui.theme(), data.column_role);
  const Index stride = label_stride(l.cell_w, ui.line_height(Type::note));
  for (Index j = 0; j < data.map.cells.columns; ++j) {
    const bool selected = data.column == j;
    if (j % stride != 0 && !selected) continue;
    if (!selected && data.column &&
        std::abs(static_cast<float>(*data.column - j)) * l.cell_w < ui.line_height(Type::note))
      continue;
    const Rect cell = cell_rect(l.map, data.map.cells, 0, j);
    const float width = std::max(cell.w, ui.line_height(Type::note) + ui.px(2));
    const Rect line{cell.middle().x - width / 2, box.y, width, l.map.y - box.y - ui.px(6)};
    if (selected) ui.fill(line.inset(std::max(0.0F, (width - ui.px(32)) / 2), 0), role.soft, ui.px(4));
    ui.text_upwards(selected ? Type::label_strong : Type::label, {line.x, line.y, line.w, line.h - ui.px(6)},
                    selected ? role.main : ui.theme().text, label(data.column_labels, j));
  }
}

void draw_cell_numbers(Ui& ui, const Layout& l, const HeatmapData& data) {
  if (!data.numbers || l.cell_w < ui.px(28) || l.cell_h < ui.px(18)) return;
  const Type type = l.cell_w < ui.px(34) ? Type::number_small : Type::number_note;
  const ColorTable table = color_table(data.map.colormap);
  for (Index i = 0; i < data.map.cells.rows; ++i)
    for (Index j = 0; j < data.map.cells.columns; ++j) {
      const float value = data.map.cells.at(i, j);
      const std::string text = cell_text(value, data.map.range);
      if (text.empty()) continue;
      const Color ground =
          is_broken(value) ? style_of(ui).stripe_ground : color_at(table, normalise(value, data.map.range));
      const Rect cell = cell_rect(l.map, data.map.cells, i, j);
      const float width = ui.width_of(type, text);
      if (width > cell.w) continue;
      if (is_broken(value))
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

// Moves towards the target in 120 ms, easing out; at once where motion is reduced, the map is another, or nothing was
// there before.
float glide(Ui& ui, const std::string& path, float target, bool jump) {
  constexpr double duration = 0.12;
  auto [found, fresh] = ui.memory().glides.try_emplace(path, Glide{target, target, -1});
  Glide& glide = found->second;
  const auto at = [&] {
    const double t = std::clamp((ui.now() - glide.since) / duration, 0.0, 1.0);
    return static_cast<float>(glide.to + (glide.from - glide.to) * std::pow(1 - t, 3));
  };
  if (jump || fresh) glide = {target, target, -1};
  if (target != glide.to) glide = {at(), target, ui.now()};
  if (ui.now() - glide.since < duration) ui.change_at(ui.now());
  return at();
}

Motion move(Ui& ui, const std::string& path, const Layout& l, const HeatmapData& data) {
  constexpr double duration = 0.2;
  Leaving& leaving = ui.memory().leaving[path];
  const bool other = leaving.shown.key != data.map.key || leaving.shown.numbers != data.map.numbers;
  if (other) {
    // Steps of one run fade into each other; what was computed anew is there at once.
    const bool same_run = leaving.shown.numbers.run == data.map.numbers.run &&
                          leaving.shown.numbers.what != data.map.numbers.what && !ui.memory().reduce_motion;
    leaving.map = leaving.shown;
    leaving.rect = leaving.shown_rect;
    leaving.since = same_run ? ui.now() : -1;
  }
  leaving.shown = data.map;
  leaving.shown_rect = l.map;
  Motion motion;
  const double t = leaving.since < 0 ? 1 : std::clamp((ui.now() - leaving.since) / duration, 0.0, 1.0);
  motion.fade = static_cast<float>(1 - std::pow(1 - t, 3));
  if (t < 1) ui.change_at(ui.now());
  const bool jump = other || !data.pinned || ui.memory().reduce_motion;
  if (data.row) motion.row = glide(ui, path + "/row", static_cast<float>(*data.row), jump);
  if (data.column) motion.column = glide(ui, path + "/column", static_cast<float>(*data.column), jump);
  return motion;
}

// The map that goes, over the one that comes.
void draw_leaving(Ui& ui, const std::string& path, float fade) {
  const Leaving& leaving = ui.memory().leaving[path];
  draw_map(ui, leaving.map, leaving.rect, MapSize::large,
           leaving.map.cells.rows <= 64 && leaving.map.cells.columns <= 64, 1 - fade);
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

}  // namespace

HeatmapResult heatmap(Ui& ui, const std::string& path, Rect box, const HeatmapData& data) {
  HeatmapResult result;
  const MatrixView& cells = data.map.cells;
  const Layout l = lay_out(ui, box, data);
  result.map = l.map;
  ui.text(Type::heading, {box.x, box.y + ui.px(4)}, role_colors(ui.theme(), data.row_role).main, data.row_name);
  ui.text(Type::heading, {box.x, box.y + ui.px(22)}, role_colors(ui.theme(), data.column_role).main, data.column_name);
  draw_row_labels(ui, box, l, data);
  draw_column_labels(ui, box, l, data);
  const Motion motion = move(ui, path, l, data);
  draw_map(ui, data.map, l.map, MapSize::large, cells.rows <= 64 && cells.columns <= 64);
  for (const Index column : data.column_groups) {
    const float x = l.map.x + cell_start(column, cells.columns, l.map.w);
    ui.line({x, l.map.y}, {x, l.map.bottom()}, ui.theme().text, 1);
  }
  ui.frame(l.map.inset(-1), ui.theme().line_strong);
  if (motion.fade < 1)
    draw_leaving(ui, path, motion.fade);
  else
    draw_cell_numbers(ui, l, data);
  draw_selection(ui, l, data, motion);
  const auto hit = ui.hit(path, l.map, true, fmt::format("{}×{}", cells.rows, cells.columns));
  if (hit.focused) ui.focus_ring(l.map, 0);
  if (hit.hovered || hit.clicked) {
    const CellAt at{position_at(ui.mouse().y - l.map.y, l.map.h, cells.rows),
                    position_at(ui.mouse().x - l.map.x, l.map.w, cells.columns)};
    if (hit.hovered) result.hovered = at;
    if (hit.clicked && hit.hovered) result.clicked = at;
  }
  return result;
}

void row_bars(Ui& ui, Rect map, float top, float height, const HeatmapData& data, Index row, Color32 color) {
  const MatrixView& cells = data.map.cells;
  if (row >= cells.rows || cells.columns > static_cast<Index>(map.w)) return;
  const float low = data.map.range.is_signed() ? data.map.range.low : 0;
  const float span = data.map.range.high - low;
  const bool powers = data.map.range.spacing == Spacing::logarithmic;
  const float zero = powers ? top + height : top + height - height * (0 - low) / span;
  for (Index j = 0; j < cells.columns; ++j) {
    const float value = cells.at(row, j);
    Rect bar = cell_rect(map, cells, row, j);
    if (bar.w > 8) bar = {std::round(bar.x + bar.w * 0.14F), bar.y, std::round(bar.w * 0.72F), bar.h};
    if (is_masked(value)) {
      const float tall = std::min(ui.px(8), height);
      ui.hatch({bar.x, top + height - tall, bar.w, tall});
      continue;
    }
    if (is_broken(value)) continue;
    const float part = powers ? normalise(value, data.map.range) : (value - low) / span;
    const float end = top + height - height * std::clamp(part, 0.0F, 1.0F);
    const float y = std::min(zero, end), tall = std::max(1.0F, std::abs(end - zero));
    ui.fill({bar.x, std::min(y, zero - 1), bar.w, tall}, color);
  }
  ui.line({map.x, std::round(zero)}, {map.right(), std::round(zero)}, ui.theme().line_strong);
}

namespace {

// "10⁻³" where a tick is a power of ten below a tenth, "≤10⁻⁵" at the low end of a scale.
std::string power_text(const ValueRange& range, const ScaleTick& tick) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const double exponent = std::log10(range.low) + tick.part * std::log10(range.high / range.low);
  const auto power = static_cast<int>(std::lround(exponent));
  std::string text = tick.text;
  if (std::abs(exponent - power) < 1e-4 && power <= -2 && power > -100) {
    text = "10⁻";
    if (power <= -10) text += digits[-power / 10];
    text += digits[-power % 10];
  }
  return tick.part < 1e-6 ? "≤" + text : text;
}

}  // namespace

void color_bar(Ui& ui, Rect box, const ColorBarData& data) {
  const Theme& t = ui.theme();
  const Rect bar = rounded({box.x, box.y, std::min(ui.px(260), box.w * 0.55F), ui.px(10)});
  const int width = std::max(2, static_cast<int>(bar.w));
  std::vector<float> ramp(static_cast<std::size_t>(width));
  const bool powers = data.range.spacing == Spacing::logarithmic;
  for (int x = 0; x < width; ++x) {
    const float part = (static_cast<float>(x) + 0.5F) / static_cast<float>(width);
    ramp[static_cast<std::size_t>(x)] = powers ? data.range.low * std::pow(data.range.high / data.range.low, part)
                                               : data.range.low + (data.range.high - data.range.low) * part;
  }
  const MatrixView cells{ramp.data(), 1, width, width, 1};
  // The ramp follows from its range and width.
  draw_map(ui, {data.key, {.what = "ramp", .columns = width}, cells, nullptr, data.range, data.colormap}, bar,
           MapSize::large);
  ui.frame(bar.inset(-1), t.line_strong);
  const auto x_at = [&](double value) { return bar.x + bar.w * normalise(static_cast<float>(value), data.range); };
  for (const ScaleTick& tick : scale_ticks(data.range)) {
    // What lies below a scale of powers of ten looks as its lowest does.
    const std::string words = powers ? power_text(data.range, tick) : tick.text;
    const float x = std::round(bar.x + bar.w * static_cast<float>(tick.part)),
                text = ui.width_of(Type::number_note, words);
    ui.line({x, bar.bottom()}, {x, bar.bottom() + ui.px(4)}, t.line_strong);
    ui.text(Type::number_note, {x - text / 2, bar.bottom() + ui.px(5)}, t.text_muted, words);
  }
  if (data.marked) {
    const float x = std::round(x_at(*data.marked));
    ui.list().AddTriangleFilled({x - ui.px(4), bar.y - ui.px(6)}, {x + ui.px(4), bar.y - ui.px(6)}, {x, bar.y - 1},
                                t.text);
  }
  float left = bar.right() + ui.px(18);
  Rect words{left, box.y - ui.px(3), box.right() - left, ui.px(16)};
  if (ui.width_of(Type::note, data.words) > words.w)
    words = {box.x, box.y + ui.px(30), box.w, ui.px(16)};  // below the ticks
  ui.text_in(Type::note, words, t.text_muted, data.words);
  Rect below{left, box.y - ui.px(3) + (words.x > box.x ? ui.px(17) : 0), box.right() - left, ui.px(16)};
  if (data.masked) {
    const Rect swatch{below.x, below.y + ui.px(3), ui.px(16), ui.px(11)};
    ui.hatch(swatch);
    ui.frame(swatch, t.line_strong);
    const float used = ui.px(24) + ui.text(Type::note, {below.x + ui.px(24), below.y}, t.text_muted, "masked");
    below.take_left(used + ui.px(16));
  }
  if (!data.pooled.empty()) ui.text_in(Type::note, below, t.text_muted, data.pooled);
}

ThumbnailResult head_thumbnail(Ui& ui, const std::string& path, Rect box, const ThumbnailData& data) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, true, data.name, data.current ? "selected" : "");
  if (data.current)
    ui.fill(box, t.brand_soft, ui.px(8));
  else if (hit.hovered)
    ui.fill(box, mix(t.canvas, t.text, 0.04F), ui.px(8));
  Rect inside = box.inset(ui.px(10), ui.px(6));
  Rect title = inside.take_top(ui.px(20));
  ui.text_in(Type::number_note, title.take_left(ui.width_of(Type::number_note, data.number) + ui.px(8)), t.text_faint,
             data.number);
  ui.text_in(data.current ? Type::label_strong : Type::label, title, t.text, data.name);
  inside.take_top(ui.px(2));
  const auto rows = static_cast<float>(std::max<Index>(1, data.map.cells.rows)),
             columns = static_cast<float>(std::max<Index>(1, data.map.cells.columns));
  const float side = std::min({inside.w, inside.h, ui.px(132)});
  float w = side, h = side;
  if (columns > rows) h = std::max(side * rows / columns, side / 4);
  if (rows > columns) w = std::max(side * columns / rows, side / 4);
  const Rect map = rounded({inside.x, inside.y, w, h});
  draw_map(ui, data.map, map, MapSize::small);
  ui.frame(map.inset(-1), t.line_strong);
  if (data.selected && data.selected->row < data.map.cells.rows && data.selected->column < data.map.cells.columns) {
    Rect cell = cell_rect(map, data.map.cells, data.selected->row, data.selected->column);
    const float least = ui.px(7);
    if (cell.w < least) cell = {cell.middle().x - least / 2, cell.y, least, cell.h};
    if (cell.h < least) cell = {cell.x, cell.middle().y - least / 2, cell.w, least};
    draw_ring(ui, rounded(cell.inset(-1)), t.ink, std::max(1.0F, ui.px(1.5F)));
  }
  if (hit.focused) ui.focus_ring(box.inset(ui.px(3)), ui.px(6));
  ThumbnailResult result{hit.clicked, {}};
  if (hit.hovered && map.contains(ui.mouse()))
    result.hovered = CellAt{position_at(ui.mouse().y - map.y, map.h, data.map.cells.rows),
                            position_at(ui.mouse().x - map.x, map.w, data.map.cells.columns)};
  return result;
}

bool pipeline_tile(Ui& ui, const std::string& path, Rect box, const TileData& data) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, true, data.title, data.current ? "selected" : "");
  if (data.lit) ui.frame(box, t.line_strong, ui.px(8), ui.px(2));
  if (data.current)
    ui.fill(box, t.brand_soft, ui.px(8));
  else if (hit.hovered)
    ui.fill(box, mix(t.canvas, t.text, 0.04F), ui.px(8));
  const bool low = box.h < ui.px(100);
  const Rect title{box.x, box.y + ui.px(low ? 3 : 7), box.w, ui.px(18)};
  ui.text_in(data.current ? Type::label_strong : Type::label, title, data.done || data.current ? t.text : t.text_muted,
             data.title, Ui::Align::center);
  const float height = ui.px(low ? 36 : 44), gap = ui.px(3);
  float width = 0;
  std::vector<float> widths;
  const float most = (box.w - ui.px(16) - gap * static_cast<float>(data.maps.size() - 1)) /
                     static_cast<float>(std::max<std::size_t>(1, data.maps.size()));
  for (const MapData& map : data.maps) {
    const float ratio = static_cast<float>(map.cells.columns) / static_cast<float>(std::max<Index>(1, map.cells.rows));
    widths.push_back(std::round(std::clamp(height * std::clamp(ratio, 0.45F, 1.5F), ui.px(10), most)));
    width += widths.back() + gap;
  }
  float x = std::round(box.x + (box.w - (width - gap)) / 2);
  for (std::size_t i = 0; i < data.maps.size(); ++i) {
    const Rect map = rounded({x, box.y + ui.px(low ? 24 : 32), widths[i], height});
    if (i == 0 && data.instead)
      data.instead(map);
    else
      draw_map(ui, data.maps[i], map, MapSize::small);
    ui.frame(map.inset(-1), t.line_strong);
    if (i < data.underlines.size())
      ui.fill({map.x, map.bottom() + ui.px(3), map.w, ui.px(3)}, role_colors(t, data.underlines[i]).main);
    x += widths[i] + gap;
  }
  ui.text_in(Type::number_small, {box.x, box.y + ui.px(low ? 66 : 86), box.w, ui.px(14)}, t.text_faint, data.shape,
             Ui::Align::center);
  if (data.current)
    ui.fill({std::round(box.middle().x - ui.px(20)), box.bottom() - ui.px(3), ui.px(40), ui.px(3)}, t.brand,
            ui.px(1.5F));
  if (hit.focused) ui.focus_ring(box.inset(ui.px(3)), ui.px(6));
  return hit.clicked;
}

StepperResult stepper(Ui& ui, const std::string& path, Rect box, const StepperData& data) {
  const Theme& t = ui.theme();
  StepperResult result;
  Rect rest = box;
  Rect left = rest.take_left(ui.px(300));
  const float y = left.middle().y;
  const auto transport = [&](const char* name, Icon icon, float x, std::string_view help, Transport what,
                             bool enabled) {
    const Rect place{box.x + ui.px(x), y - ui.px(16), ui.px(32), ui.px(32)};
    if (icon_button(ui, path + "/" + name, place, icon, help, enabled)) result.pressed = what;
  };
  const int last = static_cast<int>(data.titles.size()) - 1;
  transport("first", Icon::first, 18, "First step (Home)", Transport::first, data.current > 0);
  transport("back", Icon::back, 60, "Previous step (←)", Transport::back, data.current > 0);
  const Rect play{box.x + ui.px(100), y - ui.px(18), ui.px(44), ui.px(36)};
  if (icon_button(ui, path + "/play", play, data.playing ? Icon::pause : Icon::play,
                  data.playing ? "Pause (Space)" : "Play (Space)", true, ButtonLook::primary))
    result.pressed = Transport::play;
  transport("next", Icon::next, 152, "Next step (→)", Transport::next, data.current < last);
  transport("last", Icon::last, 194, "Last step (End)", Transport::last, data.current < last);
  const float right = std::min(ui.px(330), box.w * 0.22F);
  const Rect info = rest.take_right(right).inset(ui.px(24), ui.px(8));
  ui.text_in(Type::heading, {info.x, info.y, info.w, info.h / 2}, t.text,
             fmt::format("Step {} of {}", data.current + 1, last + 1), Ui::Align::right);
  constexpr std::string_view hint = "Space plays · ← → step · Home restarts";
  if (ui.width_of(Type::note, hint) <= info.w)
    ui.text_in(Type::note, {info.x, info.y + info.h / 2, info.w, info.h / 2}, t.text_faint, hint, Ui::Align::right);
  if (last < 0) return result;
  const float start = rest.x, span = std::max(1.0F, rest.w - ui.px(24)), line_y = std::round(box.y + ui.px(20));
  const auto x_at = [&](int i) {
    return std::round(start + (last == 0 ? 0 : span * static_cast<float>(i) / static_cast<float>(last)));
  };
  ui.line({x_at(0), line_y}, {x_at(last), line_y}, t.line_strong, ui.px(2));
  ui.line({x_at(0), line_y}, {x_at(data.current), line_y}, t.ink, ui.px(2));
  const float pitch = last == 0 ? span : span / static_cast<float>(last);
  const bool all_fit = std::ranges::all_of(
      data.titles, [&](const std::string& title) { return ui.width_of(Type::heading, title) <= pitch; });
  for (int i = 0; i <= last; ++i) {
    const float x = x_at(i), r = ui.px(i == data.current ? 8 : 5);
    const Rect place{x - pitch / 2, box.y, pitch, box.h};
    const auto hit = ui.hit(fmt::format("{}/{}", path, i), place, false, data.titles[static_cast<std::size_t>(i)],
                            i == data.current ? "selected" : "");
    if (hit.clicked) result.gone_to = i;
    const Color32 fill = i == data.current ? t.brand : i < data.current ? t.ink : hit.hovered ? t.sunken : t.canvas;
    ui.list().AddCircleFilled({x, line_y}, r, fill, 32);
    ui.list().AddCircle({x, line_y}, r, i <= data.current ? t.ink : t.line_strong, 32, std::max(1.0F, ui.px(1.5F)));
    const std::string& title = data.titles[static_cast<std::size_t>(i)];
    const float room = all_fit ? pitch : 3 * pitch;  // where not all fit, only the current one is named
    if (all_fit || i == data.current)
      ui.text_in(i == data.current ? Type::heading : Type::note, {x - room / 2, box.y + ui.px(33), room, ui.px(16)},
                 i <= data.current ? t.text : t.text_faint, title, Ui::Align::center);
  }
  return result;
}

}  // namespace headlight::app
