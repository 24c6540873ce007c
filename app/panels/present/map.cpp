// The map of the presenter, as queries by keys, or on the picture where its keys lie on one.
#include <cmath>

#include "app/panels/common/prepared.h"
#include "app/panels/present/parts.h"
#include "app/panels/views/parts.h"
#include "app/widgets/map_cells.h"
#include "engine/picture/colormap.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

constexpr Index most_single = 64;  // cells each way, up to which each is drawn by itself

// The part of the map that is in view, and where it lies.
struct View {
  MapData map;
  Index first_row = 0, first_column = 0;   // of the whole map
  std::vector<std::string> rows, columns;  // all labels; empty: numbers
  Rect place;
  float cell_w = 0, cell_h = 0;
  std::optional<Index> asked;  // row of the part

  Index count_rows() const { return map.cells.rows; }
  Index count_columns() const { return map.cells.columns; }
  Rect cell(Index row, Index column) const { return cell_rect(place, map.cells, row, column); }
  Rect row(Index at) const {
    const Rect first = cell(at, 0);
    return {place.x, first.y, place.w, first.h};
  }
  bool single() const { return count_rows() <= most_single && count_columns() <= most_single; }
  bool masked(Index row, Index column) const { return headlight::is_masked(map.cells.at(row, column)); }
};

std::string label_in(const std::vector<std::string>& labels, Index at) {
  const auto i = static_cast<std::size_t>(at);
  return i < labels.size() ? labels[i] : std::to_string(at);
}

float longest(const Ui& ui, const std::vector<std::string>& labels, Index count) {
  if (labels.empty()) return ui.width_of(Type::presenter_note, std::to_string(count));
  float width = 0;
  for (const std::string& label : labels) width = std::max(width, ui.width_of(Type::presenter_label, label));
  return std::ceil(width);
}

// As much of the map as the zoom leaves, about the row that asks and the key in the spotlight.
void zoom_in(View& view, const SlideView& what, std::optional<Index> row) {
  const MatrixView& cells = view.map.cells;
  const auto shown = [&](Index count) {
    return std::clamp<Index>(std::llround(static_cast<double>(count) / what.present.zoom), std::min<Index>(count, 4),
                             count);
  };
  const Index rows = shown(cells.rows), columns = shown(cells.columns);
  const auto about = [](Index middle, Index of, Index count) {
    return std::clamp<Index>(middle - of / 2, 0, count - of);
  };
  const Index middle = row.value_or(cells.rows / 2);
  view.first_row = about(middle, rows, cells.rows);
  view.first_column =
      about(what.present.spotlight.key.value_or(middle * cells.columns / cells.rows), columns, cells.columns);
  cut_map(view.map, view.first_row, view.first_column, rows, columns);
  if (row) view.asked = *row - view.first_row;
}

// Cells as large as there is room for; those of as many queries as keys are square.
void lay_out(const Ui& ui, Rect box, View& view) {
  const float captions =
      std::max(ui.width_of(Type::presenter_label, "query ↓"), ui.width_of(Type::presenter_label, "key →"));
  const auto rows = static_cast<float>(view.count_rows()), columns = static_cast<float>(view.count_columns());
  const float left = std::min(
      std::max(captions, longest(ui, view.rows, view.first_row + view.count_rows())) + ui.px(38), box.w * 0.32F);
  const float above = std::clamp(longest(ui, view.columns, view.first_column + view.count_columns()) + ui.px(16),
                                 ui.px(80), box.h * 0.28F);
  const float w = std::max(1.0F, box.w - left), h = std::max(1.0F, box.h - above);
  view.cell_w = std::min(w / columns, ui.px(150));
  view.cell_h = std::min(h / rows, ui.px(120));
  if (rows == columns)
    view.cell_w = view.cell_h = std::min(view.cell_w, view.cell_h);
  else {
    view.cell_w = std::min(view.cell_w, 2 * view.cell_h);
    view.cell_h = std::min(view.cell_h, 1.6F * view.cell_w);
  }
  if (view.cell_w >= 8 && view.cell_h >= 8) {
    view.cell_w = std::floor(view.cell_w);
    view.cell_h = std::floor(view.cell_h);
  }
  view.place =
      rounded({box.x + left, box.y + above, std::max(1.0F, view.cell_w * columns), std::max(1.0F, view.cell_h * rows)});
}

void draw_row_labels(Ui& ui, Rect box, const View& view) {
  const Theme& t = ui.theme();
  const float line = ui.line_height(Type::presenter_note);
  const Index stride = label_stride(view.cell_h, line);
  for (Index i = 0; i < view.count_rows(); ++i) {
    const bool asks = view.asked == i;
    if (!asks && (i + view.first_row) % stride != 0) continue;
    if (!asks && view.asked && std::abs(static_cast<float>(*view.asked - i)) * view.cell_h < line) continue;
    const float height = std::max(view.cell_h, line);
    Rect place{box.x, view.row(i).middle().y - height / 2, view.place.x - box.x - ui.px(10), height};
    if (asks) ui.fill(place.inset(0, std::max(0.0F, (height - ui.px(46)) / 2)), t.query.soft, ui.px(8));
    ui.text_in(asks ? Type::presenter_label : Type::presenter_note, place.inset(ui.px(12), 0),
               asks ? t.query.main : t.text, label_in(view.rows, view.first_row + i), Ui::Align::right);
  }
}

void draw_column_labels(Ui& ui, Rect box, const View& view, std::optional<Index> winner) {
  const float line = ui.line_height(Type::presenter_note);
  const Index stride = label_stride(view.cell_w, line);
  for (Index j = 0; j < view.count_columns(); ++j) {
    const bool wins = winner == j;
    if (!wins && (j + view.first_column) % stride != 0) continue;
    if (!wins && winner && std::abs(static_cast<float>(*winner - j)) * view.cell_w < line) continue;
    const Rect cell = view.cell(0, j);
    const float width = std::max(cell.w, line);
    const Rect place{cell.middle().x - width / 2, box.y, width, view.place.y - box.y - ui.px(12)};
    ui.text_upwards(wins ? Type::presenter_label : Type::presenter_note, place,
                    wins ? ui.theme().key.main : ui.theme().text, label_in(view.columns, view.first_column + j));
  }
}

// What is not shown yet: the row that asks, and the rows below it.
void draw_covers(Ui& ui, const View& view, const SlideView& what) {
  const Theme& t = ui.theme();
  if (!what.hidden() || !view.asked) return;
  const auto cover = [&](Index row, Color32 color) {
    if (!view.single()) return ui.fill(view.row(row), color);
    for (Index j = 0; j < view.count_columns(); ++j) {
      if (view.masked(row, j)) continue;
      const Rect cell = view.cell(row, j);  // all of it: an edge would tell
      ui.fill(cell, color);
      ui.line({cell.right() - 0.5F, cell.y}, {cell.right() - 0.5F, cell.bottom()}, t.canvas);
      ui.line({cell.x, cell.bottom() - 0.5F}, {cell.right(), cell.bottom() - 0.5F}, t.canvas);
    }
  };
  cover(*view.asked, t.brand_soft);
  if (view.cell_w >= ui.px(22) && view.cell_h >= ui.px(30))
    for (Index j = 0; j < view.count_columns(); ++j)
      if (!view.masked(*view.asked, j))
        ui.text_in(Type::presenter_label, view.cell(*view.asked, j), t.brand_text, "?", Ui::Align::center);
  if (what.shows(Covered::rows) || *view.asked + 1 >= view.count_rows()) return;
  if (view.single())
    for (Index i = *view.asked + 1; i < view.count_rows(); ++i) cover(i, t.panel);
  else
    ui.fill(
        {view.place.x, view.row(*view.asked + 1).y, view.place.w, view.place.bottom() - view.row(*view.asked + 1).y},
        t.panel);
}

// As narrow as can be read from afar; nothing for what is 0 in two decimals.
std::string short_text(float value, const ValueRange& range) {
  const std::string text = cell_text(value, range);
  if (text == ".00" || text == "0.00" || text == "-.00" || text == "−.00") return {};
  return text == "1.00" ? "1.0" : text;
}

void draw_numbers(Ui& ui, const View& view, const SlideView& what) {
  if (!what.shows(Covered::numbers) || view.cell_h < ui.px(32) || view.cell_w < ui.px(40)) return;
  const ColorTable table = color_table(view.map.colormap);
  const Index rows = what.hidden() && view.asked && !what.shows(Covered::rows) ? *view.asked : view.count_rows();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < view.count_columns(); ++j) {
      const float value = view.map.cells.at(i, j);
      if (!std::isfinite(value) || (what.hidden() && view.asked == i)) continue;
      const std::string text = short_text(value, view.map.range);
      const Rect cell = view.cell(i, j);
      if (text.empty() || ui.width_of(Type::presenter_number, text) > cell.w - ui.px(2)) continue;
      const Color ground = color_at(table, normalise(value, view.map.range));
      ui.text_in(Type::presenter_number, cell, color32(readable_text_on(ground)), text, Ui::Align::center);
    }
}

void draw_ring(Ui& ui, Rect place, Color32 color, float thickness) {
  ui.frame(place.inset(-ui.px(1.5F)), ui.theme().canvas, 0, thickness + ui.px(3));
  ui.frame(place, color, 0, thickness);
}

// All but a row, or a cell with its labels, steps back.
void draw_spotlight(Ui& ui, Rect box, const View& view, const Selection& at, std::optional<Index> row) {
  const auto column = at.key && *at.key >= view.first_column && *at.key < view.first_column + view.count_columns()
                          ? std::optional(*at.key - view.first_column)
                          : std::nullopt;
  if (!row || *row < 0 || *row >= view.count_rows() || (at.key && !column)) return;
  const auto dim = [&](float x, float y, float right, float bottom) {
    if (right > x && bottom > y) ui.fill({x, y, right - x, bottom - y}, with_alpha(ui.theme().canvas, 0.86F));
  };
  const Rect lit = view.row(*row), map = view.place;
  dim(box.x, map.y, map.right() + 1, lit.y);
  dim(box.x, lit.bottom(), map.right() + 1, map.bottom() + 1);
  if (!column) return;
  const Rect cell = view.cell(*row, *column);
  dim(map.x, lit.y, cell.x, lit.bottom());
  dim(cell.right(), lit.y, map.right() + 1, lit.bottom());
  dim(map.x, box.y, cell.x, map.y);
  dim(cell.right(), box.y, map.right() + 1, map.y);
  draw_ring(ui, cell, ui.theme().ink, ui.px(3));
}

// The row of the part in which a query stands.
std::optional<Index> row_in(const View& view, const Axis& queries, std::optional<Index> query) {
  const auto row = query ? selected_along(&queries, {.query = *query}) : std::nullopt;
  if (!row || *row < view.first_row || *row >= view.first_row + view.count_rows()) return std::nullopt;
  return *row - view.first_row;
}

void handle_clicks(Ui& ui, Rect box, const View& view, const SlideView& what, const Axis& queries, Actions& actions) {
  const auto row_at = [&] {
    return view.first_row + position_at(ui.mouse().y - view.place.y, view.place.h, view.count_rows());
  };
  const auto query_at = [&](Index row) { return queries.only.value_or(row); };
  const auto map =
      ui.hit("present/map", view.place, true, fmt::format("{}×{}", view.count_rows(), view.count_columns()));
  if (map.focused) ui.focus_ring(view.place, 0);
  if (map.clicked && map.hovered) {
    const Index column =
        view.first_column + position_at(ui.mouse().x - view.place.x, view.place.w, view.count_columns());
    const Selection at{.query = query_at(row_at()), .key = column};
    actions.push_back(what.present.spotlight == at ? Spotlight{} : Spotlight{at});
  }
  const Rect labels{box.x, view.place.y, view.place.x - box.x, view.place.h};
  const auto asked = ui.hit("present/rows", labels, false);
  if (asked.clicked && asked.hovered) actions.push_back(Ask{query_at(row_at())});
  if (const float lines = ui.take_wheel(view.place); lines != 0)
    actions.push_back(PresentZoom{what.present.zoom * std::pow(1.25, static_cast<double>(lines))});
}

// A letter on what it stands for, or beside it where that is smaller than the letter or holds the query: one corner
// each.
void draw_letter(Ui& ui, Rect box, Rect place, std::optional<Rect> query, std::size_t choice, bool wins,
                 bool answered) {
  const Theme& t = ui.theme();
  const float side = ui.px(40);
  Point at = place.middle();
  const Rect both = query ? intersection(place, *query) : Rect{};
  if (place.w < side || place.h < side || (both.w > 0 && both.h > 0)) {
    at.x += (choice % 2 == 0 ? -1 : 1) * (place.w + side) / 2;
    at.y += (choice < 2 ? -1 : 1) * (place.h + side) / 2;
  }
  at.x = std::clamp(at.x, box.x + side / 2, std::max(box.x + side / 2, box.right() - side / 2));
  at.y = std::clamp(at.y, box.y + side / 2, std::max(box.y + side / 2, box.bottom() - side / 2));
  const Rect badge{at.x - side / 2, at.y - side / 2, side, side};
  const Color32 ground = answered ? t.ink : t.canvas;
  ui.fill(badge, wins ? t.ok : ground, ui.px(8));
  ui.frame(badge, wins || answered ? t.canvas : t.text, ui.px(8), ui.px(2));
  ui.text_in(Type::presenter_label, badge, wins || answered ? t.on_ink : t.text, SlideView::letter(choice),
             Ui::Align::center);
}

}  // namespace

void draw_present_map(Ui& ui, Rect box, const SlideView& what, PanelMemory& memory, Actions& actions) {
  const Slice slice = slice_of(what.map, focus_of(what.look()));
  View view;
  view.map = memory.cells.map(ui, what.scene, what.map, what.look().head);
  view.map.key = "present/" + view.map.key;
  view.rows = memory.get<Prepared>().labels(slice.rows, slice.item);
  view.columns = memory.get<Prepared>().labels(slice.columns, slice.item);
  const bool own = what.question.about == AskAbout::own;
  const bool of_row = own ? what.question.of_row : what.question.about != AskAbout::head;
  zoom_in(view, what, of_row ? selected_row(slice, what.look().selection) : std::nullopt);
  lay_out(ui, box, view);
  ui.text(Type::presenter_label, {box.x, box.y}, ui.theme().query.main, "query ↓");
  ui.text(Type::presenter_label, {box.x, box.y + ui.px(36)}, ui.theme().key.main, "key →");
  const Question& question = what.question;
  std::optional<Index> winner;
  if (!question.choices.empty() && what.slide.revealed && question.about == AskAbout::winner)
    winner = question.choices[question.winner].key - view.first_column;
  draw_row_labels(ui, box, view);
  draw_column_labels(ui, box, view, winner);
  draw_map(ui, view.map, view.place, MapSize::large, view.single());
  draw_covers(ui, view, what);
  draw_numbers(ui, view, what);
  ui.frame(view.place.inset(-1), ui.theme().line_strong);
  if (view.asked) draw_ring(ui, view.row(*view.asked).inset(-1), ui.theme().query.main, ui.px(4));
  if (view.asked && winner && *winner >= 0 && *winner < view.count_columns())
    draw_ring(ui, view.cell(*view.asked, *winner).inset(-1), ui.theme().ink, ui.px(4));
  const Axis* queries = what.map.axis(AxisRole::query);
  if (!queries) return;
  draw_spotlight(ui, box, view, what.present.spotlight, row_in(view, *queries, what.present.spotlight.query));
  handle_clicks(ui, box, view, what, *queries, actions);
}

bool is_on_picture(const SlideView& what) {
  return slice_of(what.map, focus_of(what.look())).positions == Role::key;
}

void draw_present_picture(Ui& ui, Rect box, const SlideView& what, PanelMemory& memory) {
  Scene scene = scene_of(what.scene, memory);
  const Question& question = what.question;
  const bool asked = !question.choices.empty(), hidden = what.hidden();
  const Slice slice = slice_of(what.map, scene.focus);
  Rect caption = box.take_top(ui.px(46));
  Rect place = fitted(box, scene.rows, scene.columns);
  place.x += std::max(0.0F, std::round((box.w - place.w) / 2));
  caption.take_left(place.x - caption.x);
  ui.frame(caption.take_left(ui.px(28)).inset(0, (caption.h - ui.px(28)) / 2), ui.theme().query.main, 0, ui.px(4));
  caption.take_left(ui.px(14));
  ui.text_in(Type::presenter_label, caption, ui.theme().query.main,
             slice.grid.frames > 1 ? fmt::format("the query, in frame {}", slice.frame) : std::string("the query"));
  if (!hidden)
    draw_response(ui, what.scene, memory, "present/response", place, scene, what.look().head, false);
  else if (scene.picture)
    draw_picture(ui, memory, "present/picture", place, scene.picture);
  else
    ui.fill(place, ui.theme().sunken);
  ui.frame(place.inset(-1), ui.theme().line_strong);
  ui.log("present/picture", place, hidden ? "hidden" : "shown");
  if (scene.windowed) {
    ui.clip(place.inset(-ui.px(3)));
    ui.frame(window_rect(place, scene, slice.grid), ui.theme().key.main, 0, ui.px(3));
    ui.unclip();
  }
  const auto query = query_rect(place, scene, slice.frame);
  const Index plane = slice.grid.rows * slice.grid.columns;
  for (std::size_t i = 0; asked && i < question.choices.size(); ++i) {
    const Index key = question.choices[i].key;
    if (key < 0 || key / plane != slice.frame) continue;
    const auto at = key_rect(place, scene, key % plane / slice.grid.columns, key % slice.grid.columns);
    if (!at) continue;
    const bool wins = what.slide.revealed && i == question.winner,
               answered = what.slide.answer == static_cast<int>(i) + 1;
    mark_pixel(ui, *at, wins ? ui.theme().ok : ui.theme().ink);
    draw_letter(ui, place, *at, query, i, wins, answered);
  }
  if (query) {
    ui.frame(query->inset(-ui.px(3)), ui.theme().canvas, 0, ui.px(8));
    ui.frame(query->inset(-ui.px(1)), ui.theme().query.main, 0, ui.px(4));
  }
}

}  // namespace headlight::app
