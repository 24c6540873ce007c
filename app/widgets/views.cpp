#include <imgui.h>

#include <array>
#include <cmath>

#include "app/widgets/controls.h"
#include "app/widgets/map_cells.h"
#include "app/widgets/views.h"

namespace headlight::app {

namespace {

ImTextureID texture_id(std::uintptr_t texture) {
  return (ImTextureID)(texture);
}  // a pointer or a number, by version

HeatmapStyle style_of(const Ui& ui) {
  return ui.theme().dark ? dark_heatmap_style(ui.scale()) : light_heatmap_style(ui.scale());
}

// Of the cells that share a bar, the one that is farthest from zero; masked only where all of them are.
float farthest(const MatrixView& cells, Index row, Index first, Index last) {
  float found = cells.at(row, first);
  for (Index j = first + 1; j < last; ++j) {
    const float value = cells.at(row, j);
    if (!std::isfinite(value)) continue;
    if (!std::isfinite(found) || std::abs(value) > std::abs(found)) found = value;
  }
  return found;
}

// "10⁻³" where a tick is a power of ten below a tenth, "≤10⁻⁵" at the low end of a scale.
std::string power_text(const ValueRange& range, const ScaleTick& tick) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const double exponent = std::log10(range.low) + tick.part * std::log10(range.high / range.low);
  const auto power = static_cast<int>(std::lround(exponent));
  std::string text = tick.text;
  // Within two decades 2 and 5 times a power are named beside it (scale_ticks), and one bar has one way.
  const bool alone = range.high / range.low > 100;
  if (alone && std::abs(exponent - power) < 1e-4 && power <= -2 && power > -100) {
    text = "10⁻";
    if (power <= -10) text += digits[-power / 10];
    text += digits[-power % 10];
  }
  return tick.part < 1e-6 ? "≤" + text : text;
}

// The maps of a tile side by side, each over the colour of its role.
void draw_tile_maps(Ui& ui, Rect box, bool low, const TileData& data) {
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
    ui.frame(map.inset(-1), ui.theme().line_strong);
    if (i < data.underlines.size())
      ui.fill({map.x, map.bottom() + ui.px(3), map.w, ui.px(3)}, role_colors(ui.theme(), data.underlines[i]).main);
    x += widths[i] + gap;
  }
}

Chip chip_of(const CellTip::Place& place) {
  return {place.label, chip_role(place.role)};
}

// In one of the four quarters round the cell, so that its row and column stay free: the first that is on the screen.
Rect placed(const Ui& ui, Rect cell, float w, float h) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(6);
  const float right = cell.right() + gap, left = cell.x - gap - w, below = cell.bottom() + gap,
              above = cell.y - gap - h;
  for (const auto& [x, y] :
       std::array{Point{right, below}, Point{right, above}, Point{left, below}, Point{left, above}})
    if (x >= 0 && y >= 0 && x + w <= screen.x && y + h <= screen.y) return {x, y, w, h};
  return {right + w <= screen.x ? right : left, below + h <= screen.y ? below : above, w, h};
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

void cut_map(MapData& map, Index row, Index column, Index rows, Index columns) {
  const Index skipped = row * map.cells.row_stride + column * map.cells.column_stride;
  map.cells.data += skipped;
  map.numbers.offset += skipped;
  map.numbers.rows = map.cells.rows = rows;
  map.numbers.columns = map.cells.columns = columns;
}

void row_bars(Ui& ui, Rect map, float top, float height, const HeatmapData& data, Index row, Color32 color) {
  const MatrixView& cells = data.map.cells;
  if (row >= cells.rows) return;
  const float low = data.map.range.is_signed() ? data.map.range.low : 0;
  const float span = data.map.range.high - low;
  const bool powers = data.map.range.spacing == Spacing::logarithmic;
  const float zero = powers ? top + height : top + height - height * (0 - low) / span;
  const Index bars = std::min(cells.columns, std::max<Index>(1, static_cast<Index>(map.w)));  // a pixel each at least
  for (Index j = 0; j < bars; ++j) {
    const Index first = j * cells.columns / bars, last = (j + 1) * cells.columns / bars;
    const float value = farthest(cells, row, first, last);
    Rect bar = cell_rect(map, cells, row, first);
    if (bars < cells.columns) bar = {map.x + static_cast<float>(j), bar.y, 1, bar.h};
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
  ui.log("row/bars", {map.x, top, map.w, height}, std::to_string(bars));
}

std::vector<ScaleTick> ticks_of_bar(const ValueRange& range) {
  std::vector<ScaleTick> all = scale_ticks(range);
  // What lies below a scale of powers of ten looks as its lowest does.
  if (range.spacing == Spacing::logarithmic)
    for (ScaleTick& tick : all) tick.text = power_text(range, tick);
  return all;
}

void color_bar(Ui& ui, Rect box, const ColorBarData& data) {
  const Theme& t = ui.theme();
  // Where the words do not fit beside it, it is shorter, as long as its ticks keep apart.
  const float usual = std::min(ui.px(260), box.w * 0.55F),
              left_over = box.w - ui.width_of(Type::note, data.words) - ui.px(20);
  const Rect bar = rounded({box.x, box.y, left_over >= ui.px(90) ? std::min(usual, left_over) : usual, ui.px(10)});
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
  float free_from = -1e9F;  // numbers that would touch the last one are left out
  for (const ScaleTick& tick : ticks_of_bar(data.range)) {
    const float x = std::round(bar.x + bar.w * static_cast<float>(tick.part)),
                text = ui.width_of(Type::number_note, tick.text);
    if (x - text / 2 < free_from) continue;
    free_from = x + text / 2 + ui.px(4);
    ui.line({x, bar.bottom()}, {x, bar.bottom() + ui.px(4)}, t.line_strong);
    ui.text(Type::number_note, {x - text / 2, bar.bottom() + ui.px(5)}, t.text_muted, tick.text);
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

ThumbnailSize thumbnail_size(const Ui& ui, Rect box, const MatrixView& cells) {
  constexpr float thinnest = 0.25F;  // of the other side
  const auto rows = static_cast<float>(std::max<Index>(1, cells.rows)),
             columns = static_cast<float>(std::max<Index>(1, cells.columns));
  const float shape = std::clamp(rows / columns, thinnest, 1 / thinnest);
  const Rect room{0, 0, box.w - ui.px(20), box.h - ui.px(34)};
  const float width = std::min(room.w, room.h / shape);
  return {width, width * shape, room.h};
}

ThumbnailResult head_thumbnail(Ui& ui, const std::string& path, Rect box, const ThumbnailData& data) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, true, data.name, data.current ? "selected" : "");
  fill_card(ui, box, data.current, hit.hovered);
  Rect inside = box.inset(ui.px(10), ui.px(6));
  Rect title = inside.take_top(ui.px(20));
  if (!data.number.empty()) words_at_left(ui, Type::number_note, title, t.text_faint, data.number, 8);
  const Type type = data.current ? Type::label_strong : Type::label;
  const bool small = data.small_name || ui.width_of(type, data.name) > title.w;
  ui.text_in(small ? Type::note : type, title, t.text, data.name);
  inside.take_top(ui.px(2));
  const ThumbnailSize size = thumbnail_size(ui, box, data.map.cells);
  const Rect map = rounded({inside.x, inside.y, size.width, size.height});
  draw_map(ui, data.map, map, MapSize::small);
  ui.frame(map.inset(-1), t.line_strong);
  const auto mark = [&](const std::optional<CellAt>& at, float thickness) {
    if (!at || at->row >= data.map.cells.rows || at->column >= data.map.cells.columns) return;
    Rect cell = cell_rect(map, data.map.cells, at->row, at->column);
    const float least = ui.px(7);
    if (cell.w < least) cell = {cell.middle().x - least / 2, cell.y, least, cell.h};
    if (cell.h < least) cell = {cell.x, cell.middle().y - least / 2, cell.w, least};
    ui.frame(rounded(cell.inset(-1)).inset(-1), t.canvas, 0, thickness + 2);
    ui.frame(rounded(cell.inset(-1)), t.ink, 0, thickness);
  };
  mark(data.selected, std::max(1.0F, ui.px(1.5F)));
  mark(data.pointed, 1);
  if (hit.focused) ui.focus_ring(box.inset(ui.px(3)), ui.px(6));
  ThumbnailResult result{hit.clicked, hit.menu, {}, {}};
  if (hit.hovered && map.contains(ui.mouse())) {
    result.hovered = CellAt{position_at(ui.mouse().y - map.y, map.h, data.map.cells.rows),
                            position_at(ui.mouse().x - map.x, map.w, data.map.cells.columns)};
    result.hovered_rect = cell_rect(map, data.map.cells, result.hovered->row, result.hovered->column);
  }
  return result;
}

bool pipeline_tile(Ui& ui, const std::string& path, Rect box, const TileData& data) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, true, data.title, data.current ? "selected" : "");
  if (data.lit) ui.frame(box, t.line_strong, ui.px(8), ui.px(2));
  fill_card(ui, box, data.current, hit.hovered);
  const bool named_only = box.h < ui.px(50), low = box.h < ui.px(100);  // no room for more than the name
  const Rect title{box.x, box.y + ui.px(low ? 3 : 7), box.w, ui.px(18)};
  ui.text_in(data.current ? Type::label_strong : Type::label, named_only ? box.inset(ui.px(2), 0) : title,
             data.done || data.current ? t.text : t.text_muted, data.title, Ui::Align::center);
  if (!named_only) {
    draw_tile_maps(ui, box, low, data);
    const bool fits = ui.width_of(Type::number_small, data.shape) <= box.w;
    const std::string first = data.shape.substr(0, data.shape.find(", "));
    ui.text_in(Type::number_small, {box.x, box.y + ui.px(low ? 66 : 86), box.w, ui.px(14)}, t.text_faint,
               fits || first.size() == data.shape.size() ? data.shape : first + " …", Ui::Align::center);
  }
  if (data.current)
    ui.fill({std::round(box.middle().x - ui.px(20)), box.bottom() - ui.px(3), ui.px(40), ui.px(3)}, t.brand,
            ui.px(1.5F));
  if (hit.focused) ui.focus_ring(box.inset(ui.px(3)), ui.px(6));
  return hit.clicked;
}

void cell_tip(Ui& ui, Rect cell, const CellTip& tip) {
  const float pad = ui.px(10), gap = ui.px(6), chip_height = ui.px(28);
  float chips = 0;
  for (const auto& place : tip.places) chips += chip_width(ui, place.index, chip_of(place)) + gap;
  const float width = std::max({chips - gap, ui.width_of(Type::result, tip.value), ui.width_of(Type::note, tip.line)});
  const float w = std::ceil(width) + 2 * pad;
  const float h = chip_height + ui.px(6) + ui.line_height(Type::result) + ui.line_height(Type::note) + 2 * ui.px(8);
  const Rect card = placed(ui, cell, w, h);
  ui.log("tip", card, tip.value);
  ui.on_top([&ui, card, pad, gap, chip_height, tip] {
    const Theme& t = ui.theme();
    draw_sheet(ui, card);
    Rect inside = card.inset(pad, ui.px(8));
    Rect line = inside.take_top(chip_height);
    for (const auto& place : tip.places) {
      draw_chip(ui, line.take_left(chip_width(ui, place.index, chip_of(place))), place.index, chip_of(place), false);
      line.take_left(gap);
    }
    inside.take_top(ui.px(6));
    ui.text_in(Type::result, inside.take_top(ui.line_height(Type::result)),
               tip.role == Role::none ? t.text : role_colors(t, tip.role).main, tip.value);
    ui.text_in(Type::note, inside, t.text_muted, tip.line);
  });
}

}  // namespace headlight::app
