#include "app/panels/mechanism/parts.h"

#include "app/panels/common/picture.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

void MechanismFrame::title(std::string_view title, std::string_view note) {
  Rect line = box.take_top(ui.px(20));
  const float width = std::min(line.w, ui.width_of(Type::label_strong, title) + ui.px(10));
  ui.text_in(Type::label_strong, line.take_left(width), theme().text, title);
  if (!note.empty() && line.w > ui.px(40)) ui.text_in(Type::note, line, theme().text_faint, note, Ui::Align::right);
  skip(4);
}

void MechanismFrame::line(std::string_view words, Color32 color, Type type) {
  ui.text_in(type, box.take_top(ui.px(18)), color, words);
}

void MechanismFrame::words(std::string_view marked, Color32 color, Type type) {
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, color, marked, true, type));
}

float MechanismFrame::height_of(std::string_view marked, Type type) const {
  return paragraph(ui, {}, box.w, 0, marked, false, type);
}

void MechanismFrame::color_bar(const MapData& map, std::string words, Rect place) const {
  app::color_bar(ui, place, map_scale(map, map.key + " bar", std::move(words)));
}

MapData MechanismFrame::head_map(const std::string& id, const Step& step, Index head) const {
  MapData data = memory.cells.map(ui, model, step, head);
  data.key = fmt::format("mechanism/{}/{}", id, data.key);
  return data;
}

MapData MechanismFrame::own_map(const std::string& key, const MatrixView& cells, Index place, Kind kind) const {
  MapData data;
  data.key = key;
  data.cells = cells;
  data.numbers = {
      .run = model.shown.ticket, .what = key, .offset = place, .rows = cells.rows, .columns = cells.columns};
  data.range = value_range(kind, extent(data));
  data.colormap = default_colormap(data.range.is_signed(), theme().dark);
  return data;
}

const Extent& MechanismFrame::extent(const MapData& map) const {
  auto& [numbers, extent] = cache().extents[map.key];
  if (numbers != map.numbers) {
    extent = extent_of(map.cells);
    numbers = map.numbers;
  }
  return extent;
}

std::span<const float> MechanismFrame::row(const Step& step, std::optional<Index> head) const {
  const Tensor& x = step.tensor();
  const Index batch = x.dim(0) == 1 ? 0 : of.batch, m = head.value_or(place_of_head(step, of.head));
  const Index before = ((batch * x.dim(1) + m) * x.dim(2) + of.query) * x.dim(3);
  return x.values().subspan(static_cast<std::size_t>(before), static_cast<std::size_t>(x.dim(3)));
}

double MechanismFrame::pair_value(const Step& step, std::optional<Index> head) const {
  return static_cast<double>(row(step, head)[static_cast<std::size_t>(of.key)]);
}

void MechanismFrame::select_query(Index query) const {
  Selection next = model.document.look.selection;
  next.query = query;
  actions.push_back(Select{next, model.document.look.pinned});
}

Index cell_under(Point at, Rect box, Index rows, Index columns) {
  const CellAt cell = pixel_at(box, rows, columns, at);
  return cell.row * columns + cell.column;
}

std::string distance_words(Index offset) {
  if (offset == 0) return "itself";
  return fmt::format("{} {}", std::abs(offset), offset < 0 ? "back" : "ahead");
}

void draw_framed_map(Ui& ui, Rect box, const MapData& map, Color32 color) {
  draw_map(ui, map, box, MapSize::small);
  ui.frame(box.inset(-1), color);
}

void draw_small_map(const MechanismFrame& frame, Rect box, const MapData& map) {
  Ui& ui = frame.ui;
  draw_framed_map(ui, box, map, ui.theme().line_strong);
  if (frame.of.query >= map.cells.rows || frame.of.key >= map.cells.columns) return;
  const float w = box.w / static_cast<float>(map.cells.columns), h = box.h / static_cast<float>(map.cells.rows);
  const Rect cell{box.x + w * static_cast<float>(frame.of.key), box.y + h * static_cast<float>(frame.of.query),
                  std::max(w, ui.px(5)), std::max(h, ui.px(5))};
  ui.frame(cell.inset(-1), ui.theme().canvas, 0, ui.px(3));
  ui.frame(cell, ui.theme().ink, 0, ui.px(1.5F));
}

void draw_named_map(const MechanismFrame& frame, Rect box, const MapData& map, const std::string& name) {
  Ui& ui = frame.ui;
  ui.text_in(Type::note, box.take_top(ui.px(18)), ui.theme().text_muted, name, Ui::Align::center);
  draw_small_map(frame, {box.x, box.y, box.w, box.w}, map);
}

void draw_sign(Ui& ui, Rect box, const char* sign) {
  box.take_top(ui.px(18));  // beside the names
  ui.text_in(Type::body_strong, box, ui.theme().text, sign, Ui::Align::center);
}

}  // namespace headlight::app
