#include "app/panels/views/parts.h"

#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/reading/key_place.h"

namespace headlight::app {

namespace {

// Position scores laid out by offset, for the query that they are of.
struct OffsetScores {
  NumbersOf of;
  Tensor cells;
};

// The selected query, and how far from it the selected key lies.
struct Pair {
  Grid grid;  // of the queries
  Index query_row = 0, query_column = 0;
  bool windowed = false;              // keys are a window round the query
  std::optional<Index> down, across;  // from query to key
};

Pair pair_of(const Model& model) {
  const Step& scores = *relative_tables(*model.trace())->scores;
  const Axis* axis = scores.axis(AxisRole::query);
  Pair pair;
  pair.grid = axis->grid.value_or(Grid{1, 1, axis->size});
  const Selection selection = effective_selection(model);
  const Index query = axis->only.value_or(std::min(selection.query.value_or(0), axis->size - 1));
  pair.query_row = query / pair.grid.columns;
  pair.query_column = query % pair.grid.columns;
  const Slice keys = slice_of(scores, effective_focus(model));
  pair.windowed = is_window(keys);
  const auto row = selected_row(keys, selection), column = selected_column(keys, selection);
  if (!row || !column) return pair;
  pair.down = *row - (pair.windowed ? keys.grid.rows / 2 : pair.query_row);
  pair.across = *column - (pair.windowed ? keys.grid.columns / 2 : pair.query_column);
  return pair;
}

// One table: offsets across, channels down, the picked entry framed.
void draw_table(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const Step& table, const char* title,
                const char* difference, Index query, std::optional<Index> offset) {
  const Theme& t = ui.theme();
  const Tensor& values = table.tensor();  // (2P − 1, mid/2)
  const Index entries = values.dim(0), channels = values.dim(1), middle = (entries - 1) / 2;
  Rect line = box.take_top(ui.px(20));
  words_at_left(ui, Type::label_strong, line, t.text, title, 10);
  const std::string picked =
      offset ? fmt::format("{} − {} + {} = {}", query + *offset, query, middle, *offset + middle) : std::string();
  words_at_right(ui, Type::number_note, line, t.text, picked, 4);
  const std::string size = fmt::format("{} offsets × {}", entries, channels);
  const std::string index = fmt::format("{}, index {} + {}", size, difference, middle);
  for (const std::string& words : {index, size})  // the longest that has room
    if (ui.width_of(Type::note, words) <= line.w) {
      ui.text_in(Type::note, line, t.text_faint, words);
      break;
    }
  ui.log(std::string("relative/") + table.info.id, box, picked);
  const Rect map{box.x, box.y + ui.px(2), box.w, std::min(ui.px(30), box.h - ui.px(18))};
  MapData data;
  data.key = std::string("relative/") + table.info.id;
  data.numbers = {.run = model.shown.ticket, .what = table.info.id};
  data.cells = transposed(matrix_at(values, {}));
  data.range = value_range(Kind::weight, memory.get<Prepared>().extent(data));
  data.colormap = default_colormap(true, t.dark);
  draw_map(ui, data, map, MapSize::small);
  ui.frame(map.inset(-1), t.line_strong);
  if (offset && *offset + middle >= 0 && *offset + middle < entries) {
    const Rect cell = pixel_rect(map, 1, entries, 0, *offset + middle);
    const float wide = std::max(cell.w, ui.px(5));
    const Rect ring{cell.middle().x - wide / 2 - 1, map.y - ui.px(3), wide + 2, map.h + ui.px(6)};
    ui.frame(ring, t.canvas, 0, ui.px(4));
    ui.frame(ring, t.ink, 0, ui.px(2));
  }
  const auto tick = [&](Index at, const std::string& text) {
    const Rect cell = pixel_rect(map, 1, entries, 0, at);
    const float width = ui.width_of(Type::number_small, text);
    const float x = std::clamp(cell.middle().x - width / 2, map.x, std::max(map.x, map.right() - width));
    ui.text(Type::number_small, {x, map.bottom() + ui.px(3)}, t.text_faint, text);
  };
  tick(0, fmt::format("−{}", middle));
  tick(middle, "0");
  tick(entries - 1, fmt::format("{}", middle));
}

// Names and ends of both axes of offsets.
void draw_offset_axes(Ui& ui, Rect map, Index rows, Index columns) {
  const Color32 color = ui.theme().text_faint;
  const auto across = [&](float x, const std::string& text) {
    ui.text_in(Type::number_small, {x - ui.px(20), map.bottom() + ui.px(3), ui.px(40), ui.px(14)}, color, text,
               Ui::Align::center);
  };
  const auto down = [&](float y, const std::string& text) {
    ui.text_in(Type::number_small, {map.x - ui.px(34), y - ui.px(7), ui.px(30), ui.px(14)}, color, text,
               Ui::Align::right);
  };
  across(map.x + ui.px(6), fmt::format("−{}", columns / 2));
  across(map.right() - ui.px(6), fmt::format("{}", columns / 2));
  if (map.w >= ui.px(110)) across(map.middle().x, "0");
  down(map.y + ui.px(6), fmt::format("−{}", rows / 2));
  down(map.bottom() - ui.px(6), fmt::format("{}", rows / 2));
  if (map.h >= ui.px(44)) down(map.middle().y, "0");
}

std::string words_of_offsets(const Pair& pair, Index rows, Index columns) {
  if (pair.windowed)
    return fmt::format(
        "One score for each of the {} × {} offsets of the window, the {{query:query}} in the middle: every "
        "query reads the same tables, so that a picture that is moved gets the same weights, moved along.",
        rows, columns);
  return fmt::format(
      "The blue frame is what this {{query:query}} can reach; the offsets round it lie outside the picture. "
      "{} rows need 2 · {} − 1 = {} offsets and {} columns 2 · {} − 1 = {}, so that every pair finds an "
      "entry, and all pairs with one offset share it.",
      pair.grid.rows, pair.grid.rows, rows, pair.grid.columns, pair.grid.columns, columns);
}

}  // namespace

bool has_relative_tables(const Model& model) {
  return model.trace() && relative_tables(*model.trace());
}

float relative_tables_height(const Ui& ui) {
  return ui.px(2 * 74);
}

void draw_relative_tables(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  const Pair pair = pair_of(model);
  box.h = relative_tables_height(ui);
  const RelativeTables tables = *relative_tables(*model.trace());
  draw_table(ui, box.take_top(box.h / 2), model, memory, *tables.rows, "Row table", "a − i", pair.query_row, pair.down);
  draw_table(ui, box, model, memory, *tables.columns, "Column table", "b − j", pair.query_column, pair.across);
}

float draw_offset_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  const Theme& t = ui.theme();
  const float top = box.y;
  const Pair pair = pair_of(model);
  const Slice slice = slice_of(*relative_tables(*model.trace())->scores, effective_focus(model));
  if (!slice.is_picture()) return 0;
  const NumbersOf of = numbers_of(model.shown.ticket, "offsets", slice);
  OffsetScores& kept = memory.get<OffsetScores>();
  if (kept.of != of) {
    auto offsets = offsets_of(slice, pair.query_row * pair.grid.columns + pair.query_column);
    if (!offsets) return 0;
    kept = {of, std::move(offsets->cells)};
  }
  const Index rows = kept.cells.dim(0), columns = kept.cells.dim(1);
  ui.text_in(Type::label_strong, box.take_top(ui.px(22)), t.text, "Position score for every offset");
  ui.text_in(Type::note, box.take_top(ui.px(18)), t.text_faint,
             "down: a − i, rows from query to key; across: b − j, columns");
  box.take_top(ui.px(4));
  Rect room = box;
  room.take_left(ui.px(36));
  const float side = std::min(ui.px(190), room.w * 0.5F);
  const Rect map = fitted({room.x, room.y, side, side}, rows, columns);
  Rect words{map.right() + ui.px(18), map.y, box.right() - map.right() - ui.px(18), map.h};
  MapData data;
  data.key = "relative/offsets";
  data.numbers = of;
  data.cells = matrix_at(kept.cells, {});
  // This query's own range: another query or head may have scores many times as large.
  data.range = value_range(Kind::score, memory.get<Prepared>().extent(data));
  data.colormap = default_colormap(data.range.is_signed(), t.dark);
  draw_map(ui, data, map, MapSize::small);  // what is not reached is plain: hatched is masked
  ui.frame(map.inset(-1), t.line_strong);
  ui.log("relative/offsets", map, fmt::format("{}×{}", rows, columns));
  if (!pair.windowed) {
    const Rect first =
        pixel_rect(map, rows, columns, pair.grid.rows - 1 - pair.query_row, pair.grid.columns - 1 - pair.query_column);
    ui.frame({first.x - 1, first.y - 1, first.w * static_cast<float>(pair.grid.columns) + 2,
              first.h * static_cast<float>(pair.grid.rows) + 2},
             t.query.main, 0, ui.px(2));
  }
  if (pair.down)
    mark_pixel(ui, pixel_rect(map, rows, columns, *pair.down + rows / 2, *pair.across + columns / 2), t.key.main);
  draw_offset_axes(ui, map, rows, columns);
  const float told =
      paragraph(ui, {words.x, words.y}, words.w, t.text_muted, words_of_offsets(pair, rows, columns), true, Type::note);
  const float y = std::max(map.bottom() + ui.px(26), words.y + told + ui.px(10));
  color_bar(ui, {map.x, y, box.right() - map.x, ui.px(34)},
            map_scale(data, "relative/bar", "this query's position scores, linear"));
  return y + ui.px(40) - top;
}

}  // namespace headlight::app
