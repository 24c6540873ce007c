#include "app/panels/relative.h"

#include <algorithm>
#include <cmath>

#include "app/model/figure_of.h"
#include "app/model/offsets.h"
#include "app/panels/picture.h"

namespace headlight::app {

namespace {

// The selected query and key of a picture, as rows and columns.
struct Pair {
  Grid grid;
  Index query_row = 0, query_column = 0;
  std::optional<Index> key_row, key_column;
};

Pair pair_of(const Model& model) {
  const Axis* axis = model.trace()->find("position_scores")->axis("n_q");
  Pair pair;
  pair.grid = axis->grid.value_or(Grid{1, 1, axis->size});
  const Selection selection = effective_selection(model);
  const Index query = axis->only.value_or(std::min(selection.query.value_or(0), axis->size - 1));
  pair.query_row = query / pair.grid.columns;
  pair.query_column = query % pair.grid.columns;
  if (selection.key && *selection.key < pair.grid.rows * pair.grid.columns) {
    pair.key_row = *selection.key / pair.grid.columns;
    pair.key_column = *selection.key % pair.grid.columns;
  }
  return pair;
}

// One table: offsets across, channels down, the picked entry framed.
void draw_table(Ui& ui, Rect box, const Model& model, const char* id, const char* title, Index query,
                std::optional<Index> key) {
  const Theme& t = ui.theme();
  const Step* table = model.trace()->find(id);
  if (!table) return;
  const Tensor& values = table->tensor();  // (2P − 1, mid/2)
  const Index entries = values.dim(0), channels = values.dim(1), middle = (entries - 1) / 2;
  Rect line = box.take_top(ui.px(20));
  const float named = ui.width_of(Type::label_strong, title) + ui.px(10);
  ui.text_in(Type::label_strong, line.take_left(named), t.text, title);
  const std::string picked =
      key ? fmt::format("{} − {} + {} = {}", *key, query, middle, *key - query + middle) : std::string();
  ui.text_in(Type::number_note, line.take_right(ui.width_of(Type::number_note, picked) + ui.px(4)), t.text, picked,
             Ui::Align::right);
  ui.text_in(Type::note, line, t.text_faint, fmt::format("{} offsets × {}", entries, channels));
  ui.log(std::string("relative/") + id, box, picked);
  const Rect map{box.x, box.y + ui.px(2), box.w, std::min(ui.px(30), box.h - ui.px(18))};
  MapData data;
  data.key = std::string("relative/") + id;
  data.numbers = {.run = model.shown.ticket, .what = id};
  data.cells = transposed(matrix_at(values, {}));
  data.range = value_range(Kind::weight, extent_of(values.values()));
  data.colormap = default_colormap(true, t.dark);
  draw_map(ui, data, map, MapSize::small);
  ui.frame(map.inset(-1), t.line_strong);
  if (key) {
    const Index at = *key - query + middle;
    if (at >= 0 && at < entries) {
      const Rect cell = pixel_rect(map, 1, entries, 0, at);
      const float wide = std::max(cell.w, ui.px(5));
      ui.frame({cell.middle().x - wide / 2 - 1, map.y - ui.px(3), wide + 2, map.h + ui.px(6)}, t.canvas, 0, ui.px(4));
      ui.frame({cell.middle().x - wide / 2 - 1, map.y - ui.px(3), wide + 2, map.h + ui.px(6)}, t.ink, 0, ui.px(2));
    }
  }
  const auto tick = [&](Index at, const std::string& text) {
    const Rect cell = pixel_rect(map, 1, entries, 0, at);
    ui.text_in(Type::number_small, {cell.middle().x - ui.px(24), map.bottom() + ui.px(3), ui.px(48), ui.px(14)},
               t.text_faint, text, Ui::Align::center);
  };
  tick(0, fmt::format("−{}", middle));
  tick(middle, "0");
  tick(entries - 1, fmt::format("{}", middle));
}

}  // namespace

bool has_relative_tables(const Model& model) {
  const Trace* trace = model.trace();
  return trace && trace->find("row_table") && trace->find("col_table") && trace->find("position_scores") &&
         trace->find("row_embedding");
}

void draw_relative_tables(Ui& ui, Rect box, const Model& model) {
  const Pair pair = pair_of(model);
  const float each = box.h / 2;
  draw_table(ui, box.take_top(each), model, "row_table", "Row table", pair.query_row, pair.key_row);
  draw_table(ui, box, model, "col_table", "Column table", pair.query_column, pair.key_column);
}

void draw_offset_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  const Theme& t = ui.theme();
  const Step& step = *model.trace()->find("position_scores");
  const Pair pair = pair_of(model);
  const Slice slice = slice_of(step, effective_focus(model));
  if (!slice.is_picture()) return;
  const Index rows = 2 * pair.grid.rows - 1, columns = 2 * pair.grid.columns - 1;
  const NumbersOf of = numbers_of(model.shown.ticket, "offsets of position_scores", slice);
  if (memory.offsets.of != of) {
    auto offsets = offsets_of(slice, pair.query_row * pair.grid.columns + pair.query_column);
    if (!offsets) return;
    memory.offsets.cells = std::move(offsets->cells);
    memory.offsets.of = of;
  }
  ui.text_in(Type::label_strong, box.take_top(ui.px(22)), t.text, "Position score for every offset");
  Rect room = box;
  Rect words = room.take_right(std::max(ui.px(120), room.w * 0.4F));
  words.take_left(ui.px(14));
  room.take_left(ui.px(16));
  room.take_bottom(ui.px(18));
  const Rect map = fitted({room.x, room.y, std::min(room.w, room.h), std::min(room.w, room.h)}, rows, columns);
  MapData data;
  data.key = "relative/offsets";
  data.numbers = of;
  data.cells = matrix_at(memory.offsets.cells, {});
  // This query's own range: another query or head may have scores many times as large.
  data.range = value_range(Kind::score, extent_of(data.cells));
  data.colormap = default_colormap(data.range.is_signed(), t.dark);
  draw_map(ui, data, map, MapSize::large);
  ui.frame(map.inset(-1), t.line_strong);
  const Rect first =
      pixel_rect(map, rows, columns, pair.grid.rows - 1 - pair.query_row, pair.grid.columns - 1 - pair.query_column);
  ui.frame({first.x - 1, first.y - 1, first.w * static_cast<float>(pair.grid.columns) + 2,
            first.h * static_cast<float>(pair.grid.rows) + 2},
           t.query.main, 0, ui.px(2));
  if (pair.key_row)
    mark_pixel(ui,
               pixel_rect(map, rows, columns, *pair.key_row - pair.query_row + pair.grid.rows - 1,
                          *pair.key_column - pair.query_column + pair.grid.columns - 1),
               t.key.main);
  const auto tick = [&](float x, const std::string& text) {
    ui.text_in(Type::number_small, {x - ui.px(20), map.bottom() + ui.px(3), ui.px(40), ui.px(14)}, t.text_faint, text,
               Ui::Align::center);
  };
  tick(map.x, fmt::format("−{}", pair.grid.columns - 1));
  tick(map.middle().x, "0");
  tick(map.right(), fmt::format("{}", pair.grid.columns - 1));
  words.take_top(
      paragraph(
          ui, {words.x, words.y}, words.w, t.text_muted,
          fmt::format("The blue frame is what this {{query:query}} can reach; the hatched offsets lie outside the "
                      "picture. A side of {} pixels needs 2 · {} − 1 = {} offsets, so that every pair finds an "
                      "entry, and all pairs with one offset share it.",
                      pair.grid.columns, pair.grid.columns, columns),
          true, Type::note) +
      ui.px(10));
  if (words.bottom() > map.bottom() + ui.px(18)) words.h = map.bottom() + ui.px(18) - words.y;
  if (words.h < ui.px(44)) return;
  ColorBarData bar;
  bar.key = "relative/bar";
  bar.range = data.range;
  bar.colormap = data.colormap;
  bar.words = "";
  color_bar(ui, words, bar);
}

}  // namespace headlight::app
