// The maps of all layers and heads at the step that is looked at, on one scale, with the places of the example beside
// them. A click pins a weight.
#include <cmath>

#include "app/panels/train/parts.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// px of the design
constexpr float title_room = 22, label_above = 18, label_beside = 26, between = 20, least_map = 84, bar_room = 46,
                bar_width = 284, bar_height = 60;

// One head of one map, and where it stands.
struct Placed {
  Index map = 0, head = 0;
  Rect card;  // with its title and labels
  Rect cells;
};

struct MapsLayout {
  std::vector<Placed> maps;
  float width = 0, height = 0;
};

// How maps stand beside each other: so many heads in a row, or of maps with few heads several in one.
struct MapsGrid {
  Index columns = 1, heads = 1;  // of a row; the most that a map has

  Index maps_in_row() const { return std::max<Index>(1, columns / heads); }
};

// Of a map's height to its width.
float ratio_of(const Tensor& map) {
  return static_cast<float>(map.dim(1)) / static_cast<float>(std::max(map.dim(1), map.dim(2)));
}

// How many rows the grid has, and how high they are together where a map is 1 wide.
std::pair<float, float> rows_of(const FilmView& now, const MapsGrid& grid) {
  float rows = 0, high = 0, row = 0;
  for (Index m = 0; m < std::ssize(now.frame.maps); ++m) {
    const Tensor& map = *now.frame.maps[static_cast<std::size_t>(m)];
    const bool begins = m % grid.maps_in_row() == 0;
    const auto own = static_cast<float>((map.dim(0) + grid.columns - 1) / grid.columns);
    if (begins) {
      rows += own;
      row = 0;
    }
    high += std::max(row, own * ratio_of(map)) - row;
    row = std::max(row, own * ratio_of(map));
  }
  return {rows, high};
}

// How wide a map can be then.
float side_for(const Ui& ui, Rect box, const FilmView& now, const MapsGrid& grid) {
  const auto [rows, high] = rows_of(now, grid);
  const auto across = static_cast<float>(grid.columns);
  const float w = (box.w + ui.px(between)) / across - ui.px(between + label_beside),
              h = box.h - rows * ui.px(between / 2 + title_room + label_above) + ui.px(between / 2);
  return std::min(w, h / high);
}

// The largest that fits. Where layers begin rows, maps may be a little smaller.
std::pair<MapsGrid, float> choose_grid(const Ui& ui, Rect box, const FilmView& now) {
  MapsGrid grid;
  for (const auto& map : now.frame.maps) grid.heads = std::max(grid.heads, map->dim(0));
  MapsGrid best = grid;
  float worth = 0;
  const Index most = grid.heads * std::ssize(now.frame.maps);
  for (grid.columns = 1; grid.columns <= most; ++grid.columns) {
    const float here = side_for(ui, box, now, grid) * (grid.columns % grid.heads == 0 ? 1.1F : 1.0F);
    if (here <= worth) continue;
    worth = here;
    best = grid;
  }
  return {best, side_for(ui, box, now, best)};
}

// As large as they can be; below the least they scroll.
MapsLayout lay_out_maps(const Ui& ui, Rect box, const FilmView& now) {
  auto [grid, side] = choose_grid(ui, box, now);
  if (side < ui.px(least_map)) {
    side = ui.px(least_map);
    grid.columns = std::max<Index>(1, static_cast<Index>(box.w / (side + ui.px(between + label_beside))));
  }
  side = std::min(side, ui.px(520));
  MapsLayout layout;
  float y = box.y, lowest = box.y;
  for (Index m = 0; m < std::ssize(now.frame.maps); ++m) {
    const Tensor& map = *now.frame.maps[static_cast<std::size_t>(m)];
    float cell = side / static_cast<float>(std::max(map.dim(1), map.dim(2)));
    if (cell >= 4) cell = std::floor(cell);
    const float w = std::round(cell * static_cast<float>(map.dim(2))),
                h = std::round(cell * static_cast<float>(map.dim(1))), high = h + ui.px(title_room + label_above);
    const Index beside = m % grid.maps_in_row();
    if (beside == 0) y = lowest;
    float top = y;
    for (Index head = 0; head < map.dim(0); ++head) {
      const Index column = (beside * grid.heads + head) % grid.columns;
      if (head > 0 && column == 0) top += high + ui.px(between / 2);
      const float x = std::round(box.x + static_cast<float>(column) * (side + ui.px(between + label_beside)));
      const Rect card{x, top, w + ui.px(label_beside), high};
      layout.width = std::max(layout.width, card.right() - box.x);
      layout.maps.push_back({m, head, card, {x + ui.px(label_beside), top + ui.px(title_room + label_above), w, h}});
    }
    lowest = std::max(lowest, top + high + ui.px(between / 2));
  }
  layout.height = lowest - box.y;
  return layout;
}

// What is drawn of a map: its weights, or the slopes of what they are made of.
struct Drawn {
  std::shared_ptr<const Tensor> numbers;
  bool scores = false, slopes = false;
};

bool shows_slopes(const FilmView& now) {
  return now.shown.gradient && now.frame.slopes;
}

Drawn map_numbers(const FilmView& now, Index map) {
  const auto at = static_cast<std::size_t>(map);
  if (!shows_slopes(now)) return {now.frame.maps[at]};
  const learn::Slopes::OfMap& slopes = now.frame.slopes->maps[at];
  return {slopes.scores ? slopes.scores : slopes.weights, slopes.scores != nullptr, true};
}

// One for all maps; of slopes about 0, as far as the largest goes.
ValueRange range_of(const FilmView& now) {
  if (!shows_slopes(now)) return {0, 1};
  float largest = 0;
  for (Index m = 0; m < std::ssize(now.frame.maps); ++m)
    for (const float slope : map_numbers(now, m).numbers->values())
      if (!is_masked(slope)) largest = std::max(largest, std::abs(slope));
  return {-largest, largest};
}

MapData map_data(const Ui& ui, const FilmView& now, const Placed& placed, std::uint64_t stamp, ValueRange range) {
  const auto owner = map_numbers(now, placed.map).numbers;
  const Index rows = owner->dim(1), columns = owner->dim(2);
  MapData map;
  map.key = fmt::format("train/{}/{}", placed.map, placed.head);
  map.numbers = {stamp, map.key, placed.head * rows * columns, rows, columns, columns, 1};
  map.cells = {owner->data() + placed.head * rows * columns, rows, columns, columns, 1};
  map.owner = owner;
  map.range = range;
  map.colormap = default_colormap(shows_slopes(now), ui.theme().dark);
  return map;
}

// The places' names beside and above the cells, as many as there is room for; of the pinned weight both.
void draw_labels(Ui& ui, const FilmView& now, const Placed& placed, const MatrixView& cells, bool pinned) {
  const Theme& t = ui.theme();
  const auto& pin = now.shown.pinned;
  const float line = ui.line_height(Type::number_small);
  const auto draw = [&](Index count, float pitch, std::optional<Index> chosen, const RoleColors& role, auto&& place,
                        auto&& name) {
    const Index stride = label_stride(pitch, ui.px(11));
    for (Index i = 0; i < count; ++i) {
      const bool is_chosen = chosen == i;
      const bool near = chosen && !is_chosen && std::abs(static_cast<float>(*chosen - i)) * pitch < ui.px(11);
      if ((i % stride != 0 && !is_chosen) || near) continue;
      const Rect at = place(i);
      if (is_chosen) ui.fill(at, role.soft, ui.px(3));
      ui.text_in(Type::number_small, at, is_chosen ? role.main : t.text_muted, name(i), Ui::Align::center);
    }
  };
  const bool words = !now.example.words.read.empty();
  if (!words) return;
  const auto above = [&](Index j) {
    const Rect cell = cell_rect(placed.cells, cells, 0, j);
    const float w = std::max(cell.w, ui.px(12));
    return Rect{cell.middle().x - w / 2, placed.cells.y - line - ui.px(2), w, line};
  };
  const auto beside = [&](Index i) {
    const Rect cell = cell_rect(placed.cells, cells, i, 0);
    return Rect{placed.cells.x - ui.px(22), cell.middle().y - line / 2, ui.px(20), line};
  };
  const auto column = pinned ? std::optional(pin->key) : std::nullopt;
  const auto row = pinned ? std::optional(pin->query) : std::nullopt;
  const auto& read = now.example.words.read;
  const bool by_answers = now.example.maps[static_cast<std::size_t>(placed.map)].by_answers;
  const auto& asks = by_answers ? now.example.words.answered : read;
  draw(cells.columns, placed.cells.w / static_cast<float>(cells.columns), column, t.key, above,
       [&](Index j) { return ui.fonts().display_text(read[static_cast<std::size_t>(j)]); });
  draw(cells.rows, placed.cells.h / static_cast<float>(cells.rows), row, t.query, beside,
       [&](Index i) { return ui.fonts().display_text(asks[static_cast<std::size_t>(i)]); });
}

// Row, column and cell of the pinned weight; in other maps the cell alone.
void draw_pin(Ui& ui, Rect map, const MatrixView& cells, const TrainCell& cell, bool whole) {
  const Theme& t = ui.theme();
  if (cell.query >= cells.rows || cell.key >= cells.columns) return;
  const Rect at = cell_rect(map, cells, cell.query, cell.key);
  const auto ring = [&](Rect rect, Color32 color, float thickness = 1.5F) {
    ui.frame(rect.inset(-ui.px(1)), t.canvas, 0, ui.px(1));
    ui.frame(rect.inset(-ui.px(2)), color, 0, std::max(1.0F, ui.px(thickness)));
  };
  if (whole) {
    ring({map.x, at.y, map.w, at.h}, t.query.main);
    ring({at.x, map.y, at.w, map.h}, t.key.main);
  }
  ring(at, t.ink, 2);
}

std::string number_in_words(float number) {
  return is_masked(number) ? std::string("masked") : with_minus_signs(fmt::format("{:.4f}", number));
}

void draw_tip(Ui& ui, const FilmView& now, const Placed& placed, const MatrixView& cells, CellAt at) {
  if (!ui.rests_on(fmt::format("train/{}/{}/{},{}", placed.map, placed.head, at.row, at.column))) return;
  CellTip tip;
  tip.places = {{static_cast<std::size_t>(at.row), query_name(now, placed.map, at.row), Role::query},
                {static_cast<std::size_t>(at.column), key_name(now, at.column), Role::key}};
  const Drawn drawn = map_numbers(now, placed.map);
  tip.value = number_in_words(cells.at(at.row, at.column));
  tip.role = drawn.scores ? Role::score : Role::weight;
  const char* what = drawn.scores ? "∂L/∂score of " : "∂L/∂weight of ";
  tip.line =
      fmt::format("{}{}, step {}", drawn.slopes ? what : "", map_title(now, placed.map, placed.head), now.frame.step);
  cell_tip(ui, cell_rect(placed.cells, cells, at.row, at.column), tip);
}

// What a head finds that is off, nobody reads: crossed out, as in the maps of models.
void draw_off(Ui& ui, Rect map) {
  const Theme& t = ui.theme();
  ui.fill(map, with_alpha(t.canvas, 0.6F));
  ui.frame(map.inset(-1), t.error, 0, 1);
  ui.line({map.x, map.y}, {map.right(), map.bottom()}, t.error, ui.px(1.5F));
  ui.line({map.x, map.bottom()}, {map.right(), map.y}, t.error, ui.px(1.5F));
}

void draw_one(Ui& ui, const Placed& placed, const FilmView& now, std::uint64_t stamp, ValueRange range,
              Actions& actions) {
  const Theme& t = ui.theme();
  const MapData map = map_data(ui, now, placed, stamp, range);
  const auto& pin = now.shown.pinned;
  const bool pinned = pin && pin->map == placed.map && pin->head == placed.head;
  if (pinned) {
    const Rect card{placed.card.x - ui.px(8), placed.card.y - ui.px(4), placed.card.w + ui.px(18),
                    placed.card.h + ui.px(12)};
    ui.fill(card, t.brand_soft, ui.px(6));
  }
  const Rect title{placed.cells.x, placed.card.y, placed.cells.w + ui.px(between), ui.px(title_room - 2)};
  const bool off = learn::heads_off_at(now.film.plan->changes, now.frame.step).contains({placed.map, placed.head});
  const std::string words = lower_first(map_title(now, placed.map, placed.head)) + (off ? " · off" : "");
  ui.log(map.key + "/title", title, words);
  ui.text_in(pinned ? Type::heading : Type::note, title, t.text, ui.fitted(Type::heading, words, title.w));
  const auto hit = ui.hit(map.key, placed.cells, false, fmt::format("{}×{}", map.cells.rows, map.cells.columns),
                          pinned ? "selected" : "");
  draw_map(ui, map, placed.cells, MapSize::large, true);
  ui.frame(placed.cells.inset(-1), t.line_strong);
  if (off) draw_off(ui, placed.cells);
  draw_labels(ui, now, placed, map.cells, pinned);
  const auto asks_as = [&](Index m) { return now.example.maps[static_cast<std::size_t>(m)].by_answers; };
  if (pin && asks_as(pin->map) == asks_as(placed.map)) draw_pin(ui, placed.cells, map.cells, *pin, pinned);
  if (!hit.hovered && !hit.clicked) return;
  const CellAt at{position_at(ui.mouse().y - placed.cells.y, placed.cells.h, map.cells.rows),
                  position_at(ui.mouse().x - placed.cells.x, placed.cells.w, map.cells.columns)};
  if (hit.hovered) draw_tip(ui, now, placed, map.cells, at);
  if (!hit.clicked) return;
  const TrainCell cell{placed.map, placed.head, at.row, at.column};
  actions.push_back(pin == cell ? Action(ReleaseTrainCell{})
                                : Action(PinTrainCell{cell.map, cell.head, cell.query, cell.key}));
}

void draw_scale(Ui& ui, Rect box, const FilmView& now, ValueRange range) {
  Index count = 0;
  bool masked = false;
  const bool scores = map_numbers(now, 0).scores;
  for (const auto& map : now.frame.maps) {
    count += map->dim(0);
    masked = masked || std::ranges::any_of(map->values(), is_masked);
  }
  ColorBarData bar;
  bar.key = "train/bar";
  bar.range = range;
  bar.colormap = default_colormap(shows_slopes(now), ui.theme().dark);
  bar.words =
      count == 1 ? "weight, linear, one scale for all steps" : "weight, linear, one scale for all maps and steps";
  if (shows_slopes(now)) bar.words = fmt::format("∂L/∂{}, linear, one scale at this step", scores ? "score" : "weight");
  bar.masked = masked;
  ui.log(bar.key, box, bar.words);
  color_bar(ui, box, bar);
}

}  // namespace

std::string key_name(const FilmView& now, Index place) {
  const learn::FilmExample& example = now.example;
  if (!example.words.read.empty()) return Fonts::display_text(example.words.read[static_cast<std::size_t>(place)]);
  if (example.columns == 0) return fmt::format("{}", place);
  const Index pixels = example.rows * example.columns, pixel = place % pixels;
  const std::string at = fmt::format("{}, {}", pixel / example.columns, pixel % example.columns);
  return example.frames > 1 ? fmt::format("t{} {}", place / pixels, at) : at;
}

std::string query_name(const FilmView& now, Index map, Index place) {
  if (now.example.maps[static_cast<std::size_t>(map)].by_answers)
    return now.example.words.answered[static_cast<std::size_t>(place)];
  return key_name(now, place);
}

std::string map_title(const FilmView& now, Index map, Index head) {
  const std::string title = capitalized(now.example.maps[static_cast<std::size_t>(map)].title);
  const bool several = now.frame.maps[static_cast<std::size_t>(map)]->dim(0) > 1 || now.frame.maps.size() > 1;
  return several ? fmt::format("{} · head {}", title, head) : title;
}

void draw_train_maps(Ui& ui, Rect box, const FilmView& now, PanelMemory& memory, Actions& actions) {
  TrainMemory& own = memory.get<TrainMemory>();
  if (own.frame != now.shown.frame || own.slopes != shows_slopes(now)) {
    own.frame = now.shown.frame;
    own.slopes = shows_slopes(now);
    own.stamp = ui.painter().stamp();
  }
  if (now.frame.maps.empty()) return;
  const ValueRange range = range_of(now);
  // A little room on all sides, for what is drawn round the pinned map.
  const auto lay_out = [&](Rect area) {
    return lay_out_maps(ui, {area.x + ui.px(10), area.y + ui.px(6), area.w - ui.px(28), area.h - ui.px(12)}, now);
  };
  // The scale stands below the maps, or beside them where they are larger then.
  Rect foot;
  const MapsLayout whole = lay_out(box);
  const bool beside = box.w - whole.width >= ui.px(bar_width + between);
  if (beside)
    foot = {box.right() - ui.px(bar_width), box.bottom() - ui.px(bar_height), ui.px(bar_width), ui.px(bar_height)};
  if (Rect rest = box; rest.h > ui.px(240)) {
    const Rect below = rest.take_bottom(ui.px(bar_room));
    if (!beside || lay_out(rest).maps.front().cells.w == whole.maps.front().cells.w) {
      foot = below;
      box = rest;
    }
  }
  float bottom = box.bottom();
  scroll_area(ui, "train/maps", box, [&](Rect area) {
    const MapsLayout layout = lay_out({box.x, area.y, box.w, box.h});
    for (const Placed& placed : layout.maps)
      if (placed.card.bottom() > box.y && placed.card.y < box.bottom())
        draw_one(ui, placed, now, own.stamp, range, actions);
    bottom = std::min(bottom, area.y + layout.height + ui.px(10));
    return std::min(layout.height + ui.px(8), std::max(box.h, layout.height));
  });
  if (foot.h == 0) return;
  if (foot.y >= box.bottom())
    foot = {box.x + ui.px(10 + label_beside), std::min(foot.y + ui.px(10), bottom + ui.px(12)), box.w - ui.px(40),
            foot.h};
  draw_scale(ui, foot, now, range);
}

}  // namespace headlight::app
