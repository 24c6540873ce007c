// Every head of a model as a small map, rows layers, columns heads, or a map a layer; all on one scale.
#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/layers/parts.h"
#include "app/reading/head_measures.h"
#include "app/reading/printed.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

namespace {

constexpr float number_room = 50, head_room = 26, bar_room = 52;  // px of the design
constexpr float least_pitch = 18, most_pitch = 240;

// Where the heads stand; heads that have no room below scroll.
struct MapGrid {
  Rect box;  // of the maps
  float pitch_x = 0, pitch_y = 0, gap = 0;

  Rect cell(Index layer, Index head) const {
    const float x = std::round(box.x + pitch_x * static_cast<float>(head)),
                y = std::round(box.y + pitch_y * static_cast<float>(layer));
    return {x, y, std::max(2.0F, std::floor(pitch_x - gap)), std::max(2.0F, std::floor(pitch_y - gap))};
  }
};

MapGrid lay_out(const Ui& ui, Rect box, Index layers, Index heads) {
  MapGrid grid;
  const float w = box.w / static_cast<float>(heads), h = box.h / static_cast<float>(layers);
  grid.pitch_x = std::min(w, ui.px(most_pitch));
  grid.pitch_y = std::clamp(h, ui.px(least_pitch), ui.px(most_pitch));
  grid.pitch_x = std::min(grid.pitch_x, grid.pitch_y * 1.25F);
  grid.pitch_y = std::max(ui.px(least_pitch), std::min(grid.pitch_y, grid.pitch_x * 1.25F));
  grid.gap = std::max(1.0F, std::round(std::min(ui.px(5), std::min(grid.pitch_x, grid.pitch_y) * 0.11F)));
  grid.box = {box.x, box.y, grid.pitch_x * static_cast<float>(heads), grid.pitch_y * static_cast<float>(layers)};
  return grid;
}

// A number of a layer or a head, on amber where it is chosen.
void draw_number(Ui& ui, Rect place, Index number, bool chosen) {
  const Theme& t = ui.theme();
  if (chosen) ui.fill(place, t.brand_soft, ui.px(4));
  ui.text_in(chosen ? Type::heading : Type::note, place, chosen ? t.text : t.text_muted, fmt::format("{}", number),
             Ui::Align::center);
}

// Every how many-th number fits.
Index numbers_every(const Ui& ui, Index count, float pitch, float needed) {
  return label_stride(pitch, std::max(needed, ui.width_of(Type::note, fmt::format("{}", count - 1)) + ui.px(4)));
}

void draw_head_numbers(Ui& ui, Rect row, const MapGrid& grid, Index heads, Index chosen) {
  const Index every = numbers_every(ui, heads, grid.pitch_x, 0);
  for (Index m = 0; m < heads; ++m) {
    const bool near = m != chosen && std::abs(m - chosen) < every;
    if (m != chosen && (m % every != 0 || near)) continue;
    const Rect cell = grid.cell(0, m);
    const float w = std::max(ui.px(22), std::min(cell.w, ui.px(26)));
    draw_number(ui, {cell.middle().x - w / 2, row.y + ui.px(3), w, ui.px(20)}, m, m == chosen);
  }
}

void draw_layer_number(Ui& ui, const MapGrid& grid, Index layer, Index layers, Index chosen, float right) {
  const Index every = numbers_every(ui, layers, grid.pitch_y, ui.px(16));
  const bool near = layer != chosen && std::abs(layer - chosen) < every;
  if (layer != chosen && (layer % every != 0 || near)) return;
  const Rect cell = grid.cell(layer, 0);
  draw_number(ui, {right - ui.px(30), cell.middle().y - ui.px(10), ui.px(26), ui.px(20)}, layer, layer == chosen);
}

// The grid on which a query's keys lie at their places: the picture, or a window of it.
std::optional<PlacedGrid> grid_shown(const LayersShown& shown, Index layer) {
  return shown.look.view == LayersView::token ? shown.grid_of(layer) : std::nullopt;
}

// Turns a query's row into the picture's grid of patches; tokens that are no patch are left out.
void reshape_to_grid(const PlacedGrid& picture, MapData& map) {
  map.key += "/picture";
  map.numbers.offset += picture.offset;
  map.cells.data += picture.offset;
  map.numbers.rows = map.cells.rows = picture.grid.rows;
  map.numbers.columns = map.cells.columns = picture.grid.columns;
  map.numbers.row_stride = map.cells.row_stride = picture.grid.columns;
}

// Cuts the query's row out of a layer's map, and lays it on the picture if there is one.
void cut_query_row(const LayersShown& shown, Index layer, MapData& map) {
  map.key += "/row";
  cut_map(map, shown.query_in(layer), 0, 1, map.cells.columns);
  if (const auto grid = shown.grid_of(layer)) reshape_to_grid(*grid, map);
}

// The map of a head, or the row of the chosen query alone; nothing where that is not made yet.
std::optional<MapData> head_cell_map(const Ui& ui, const Model& model, const LayersShown& shown, ModelHead head) {
  const QueryRows& rows = model.net.rows;
  if (shown.look.view == LayersView::token && !shown.part->has_all_maps()) {
    const auto layer = static_cast<std::size_t>(head.layer);
    if (rows.part != head.part || layer >= rows.layers.size() || !rows.layers[layer]) return std::nullopt;
    MapData row = map_of_head(ui, shown, head, rows.layers[layer]);
    row.key += fmt::format("/row {}", rows.query);
    row.numbers.what = row.key;
    if (const auto grid = grid_shown(shown, head.layer)) reshape_to_grid(*grid, row);
    return row;
  }
  MapData map = map_of_head(ui, shown, head);
  if (shown.look.view == LayersView::token) cut_query_row(shown, head.layer, map);
  return map;
}

// As much of a cell as a picture takes.
Rect picture_in(Rect cell, const Grid& grid) {
  const auto rows = static_cast<float>(grid.rows), columns = static_cast<float>(grid.columns);
  const float pitch = std::min(cell.w / columns, cell.h / rows);
  const float w = std::floor(pitch * columns), h = std::floor(pitch * rows);
  return {std::round(cell.middle().x - w / 2), std::round(cell.middle().y - h / 2), w, h};
}

// The patch that asks, in a cell that is the picture; a token beside it has no place there.
void draw_query_patch(Ui& ui, Rect cell, const LayersShown& shown) {
  const PlacedGrid& picture = *shown.picture;
  const Index query = shown.query();
  if (!picture.holds(query)) return;
  const Index patch = query - picture.offset, columns = picture.grid.columns;
  const float pitch = cell.w / static_cast<float>(columns);
  const Rect place{cell.x + pitch * static_cast<float>(patch % columns),
                   cell.y + pitch * static_cast<float>(patch / columns), pitch, pitch};
  ui.frame(place, ui.theme().query.main, 0, std::max(1.0F, std::min(ui.px(2), pitch / 4)));
  ui.log("layers/asks", place);
}

struct CellMarks {
  bool chosen = false, ringed = false, off = false;
};

// What a cell has round it and over it.
void draw_marks(Ui& ui, Rect cell, const CellMarks& marks, bool hovered) {
  const Theme& t = ui.theme();
  const Color32 edge = hovered ? t.text_muted : t.line_strong;
  ui.frame(cell, marks.off ? t.error : edge, 0, 1);
  if (marks.off) {
    ui.line({cell.x, cell.y}, {cell.right(), cell.bottom()}, t.error, ui.px(1.5F));
    ui.line({cell.x, cell.bottom()}, {cell.right(), cell.y}, t.error, ui.px(1.5F));
  }
  const float wide = std::max(1.0F, std::min(ui.px(2), cell.w * 0.08F));
  if (marks.ringed) ui.frame(cell.inset(-wide), t.ink, ui.px(3), wide);
  if (!marks.chosen) return;
  ui.frame(cell.inset(-2 * wide), t.ink, ui.px(4), wide);
  ui.frame(cell.inset(-wide), t.brand, ui.px(3), wide);
}

// A head in the colour of its number, which stands in it where there is room.
void draw_value(Ui& ui, Rect cell, double value, double most) {
  ui.fill(cell, ui.theme().sunken);
  if (!std::isfinite(value)) return;
  static const ColorTable light = color_table(default_colormap(false, false)),
                          dark = color_table(default_colormap(false, true));
  const auto part = static_cast<float>(most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0.0);
  const Color color = color_at(ui.theme().dark ? dark : light, part);
  ui.fill(cell, color32(color));
  const std::string words = measure_text(value);
  if (ui.width_of(Type::number_small, words) + ui.px(4) <= cell.w && ui.px(14) <= cell.h)
    ui.text_in(Type::number_small, cell, color32(readable_text_on(color)), words, Ui::Align::center);
}

void draw_value_scale(Ui& ui, Rect box, const Model& model, const LayersShown& shown, Measure measure) {
  const double most = largest_measure(model, shown, measure);
  if (most <= 0) return;  // none has a number
  const char* unit = measure == Measure::ablation ? "nats" : row_of(measure).unit;
  color_bar(ui, box,
            {.key = "layers/bar",
             .range = {0, static_cast<float>(most)},
             .colormap = default_colormap(false, ui.theme().dark),
             .words = fmt::format("{}{}{}, linear", row_of(measure).title, *unit ? ", " : "", unit)});
}

void draw_scale(Ui& ui, Rect box, const Model& model, const LayersShown& shown, const MapGrid& grid, Block block,
                Actions& actions) {
  const PartRun& part = *shown.part;
  const QueryRows& rows = model.net.rows;
  std::string more = fmt::format("one scale for all {} maps", part.heads());
  if (const std::size_t done = rows.done(); done < rows.layers.size()) {
    more = fmt::format("one scale; rows are made: {} of {} layers", done, rows.layers.size());
  } else if (!part.has_all_maps() && rows.layers.empty() && std::max(part.queries(), part.keys()) > small_side) {
    more = fmt::format("one scale; the largest in each of {} × {} cells", part.small.front()->dim(2),
                       part.small.front()->dim(3));
    block = {};  // that it is pooled is said
  }
  box.w = std::min(box.w, std::max(grid.box.w, ui.px(700)));
  draw_layers_scale(ui, box, shown, "weight", more, block, actions);
}

// What the cells of all heads are drawn from.
struct HeadCells {
  const Model& model;
  const LayersShown& shown;
  InputPicture photograph;  // under the row of a query, where it lies on one
  Measure measure;
  double most;  // measured
};

// Draws the head's number or its map; returns the block of the map that one pixel of it stands for.
std::optional<Block> fill_head_cell(Ui& ui, Rect cell, const std::string& path, const HeadCells& cells, ModelHead head,
                                    double value, PanelMemory& memory) {
  if (cells.shown.look.view == LayersView::measure) {
    draw_value(ui, cell, value, cells.most);
    return std::nullopt;
  }
  const auto map = head_cell_map(ui, cells.model, cells.shown, head);
  if (!map) {
    ui.fill(cell, ui.theme().sunken);
    return std::nullopt;
  }
  if (cells.photograph)
    draw_overlay(ui, memory, path, cell, cells.photograph, {map->cells, {}, map->range, map->colormap, map->numbers});
  else
    draw_map(ui, *map, cell, MapSize::small);
  return block_drawn(*map, cell);
}

std::optional<Block> draw_head_cell(Ui& ui, Rect place, const HeadCells& cells, ModelHead head, PanelMemory& memory,
                                    Actions& actions) {
  const LayersShown& shown = cells.shown;
  const NetworkLook& look = shown.look;
  const auto picture = grid_shown(shown, head.layer);
  const Rect cell = picture ? picture_in(place, picture->grid) : place;
  const double value = head_measure(cells.model, shown, cells.measure, head.layer, head.head);
  const CellMarks marks{look.layer == head.layer && look.head == head.head,
                        look.marks == HeadMarks::ring && value >= look.from,
                        std::ranges::find(shown.off, head) != shown.off.end()};
  const std::string path = fmt::format("layers/{}/{}", head.layer, head.head);
  const auto hit = ui.hit(path, cell, false, "", marks.chosen ? "selected" : "");
  const auto block = fill_head_cell(ui, cell, path, cells, head, value, memory);
  draw_marks(ui, cell, marks, hit.hovered);
  if (picture && shown.picture) draw_query_patch(ui, cell, shown);
  ui.tooltip(path, cell,
             fmt::format("Layer {}, head {}: {} {}{}", head.layer, head.head, name_in_model(cells.measure),
                         measure_text(value), marks.ringed ? fmt::format(", ringed from {:.2f}", look.from) : ""));
  if (hit.clicked) actions.push_back(ChooseHead{head.layer, head.head});
  if (hit.hovered && ui.double_clicked(cell)) actions.push_back(OpenLayer{head.layer});
  return block;
}

struct Layout {
  Rect box;
  Index columns = 1;
  float pitch_x = 0, pitch_y = 0;
};

// As large as they can be in so much room.
Layout lay_out(const Ui& ui, Rect box, Index count) {
  Layout best{box, 1, 0, 0};
  float largest = 0;
  for (Index columns = 1; columns <= count; ++columns) {
    const auto rows = static_cast<float>((count + columns - 1) / columns);
    const float x = box.w / static_cast<float>(columns), y = box.h / rows;
    const float side = std::min(x - ui.px(12), y - ui.px(30));
    if (side <= largest) continue;
    largest = side;
    best = {box, columns, std::min(x, side + ui.px(12)), side + ui.px(30)};
  }
  return best;
}

}  // namespace

void show_row_once(Ui& ui, const std::string& area, const std::string& brought, Index row, float height, float room) {
  float &scroll = ui.memory().scroll[area], &last = ui.memory().scroll[brought];
  const auto at = static_cast<float>(row);
  if (last == at + 1) return;
  scroll = std::max(std::min(scroll, height * at), height * at + height - room);
  last = at + 1;
}

void draw_head_grid(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory,
                    Actions& actions) {
  const NetworkLook& look = shown.look;
  const bool over = look.view == LayersView::token && !shown.part->staged && shown.picture;
  const Measure measure = marking_measure(look);
  const HeadCells cells{model, shown, over ? photograph_of(model, shown) : InputPicture{}, measure,
                        largest_measure(model, shown, measure)};
  const PartRun& part = *shown.part;
  const Index layers = part.layers(), heads = shown.heads;
  const Rect top = box.take_top(ui.px(head_room));
  const Rect bottom = box.take_bottom(ui.px(bar_room));
  const Rect names = box.take_left(ui.px(number_room));
  ui.text_in(Type::note, {names.x, top.y - ui.px(6), names.w, ui.px(16)}, ui.theme().text_faint, "head →");
  ui.text_in(Type::note, {names.x, top.y + ui.px(8), names.w, ui.px(16)}, ui.theme().text_faint, "layer ↓");
  MapGrid grid = lay_out(ui, box, layers, heads);
  // Where it scrolls, the bar stands beside the last head.
  const float beside = ui.px(12);
  if (grid.box.h > box.h && box.w - grid.box.w < beside)
    grid = lay_out(ui, {box.x, box.y, box.w - beside, box.h}, layers, heads);
  draw_head_numbers(ui, top, grid, heads, look.head);
  show_row_once(ui, "layers", "layers/brought", look.layer, grid.pitch_y, box.h);
  Block block;
  const Rect seen{names.x, box.y - ui.px(4), names.w + box.w, box.h + ui.px(8)};
  scroll_area(ui, "layers", seen, [&](Rect area) {
    grid.box.y = area.y + ui.px(4);
    for (Index l = 0; l < layers; ++l) {
      if (grid.cell(l, 0).bottom() < seen.y || grid.cell(l, 0).y > seen.bottom()) continue;
      draw_layer_number(ui, grid, l, layers, look.layer, names.right());
      for (Index m = 0; m < part.heads_of(l); ++m)
        if (const auto drawn = draw_head_cell(ui, grid.cell(l, m), cells, {l, m, part.part}, memory, actions))
          block = *drawn;
    }
    return grid.box.h + ui.px(8);
  });
  const Rect scale{box.x, std::min(bottom.y + ui.px(8), box.y + grid.box.h + ui.px(12)), box.w, bottom.h};
  if (look.view == LayersView::measure) return draw_value_scale(ui, scale, model, shown, measure);
  draw_scale(ui, scale, model, shown, grid, block, actions);
}

void draw_rollout_choice(Ui& ui, Rect line, bool row, Actions& actions) {
  const int chosen = segments(ui, "layers/rollout", {line.x, line.y, std::min(ui.px(240), line.w), ui.px(32)},
                              {{"maps", "Matrices", ""}, {"row", "On the picture", ""}}, row ? 1 : 0);
  if (chosen >= 0) actions.push_back(ViewLayers{chosen == 1 ? LayersView::rollout_row : LayersView::rollout});
}

// Why there are no means over heads, or no rollout.
std::string why_no_layer_map(const LayersShown& shown, bool mean) {
  const PartRun& part = *shown.part;
  if (part.staged) return fmt::format("{}.", several_sizes);
  if (!mean && shown.run && !in_first_stack(part.part))
    return "Rollout is of the encoder alone: a decoder reads two texts, and one map has no room for both.";
  if (!mean && part.queries() != part.keys())
    return "Rollout follows tokens from layer to layer: it needs as many queries as keys.";
  return "There are too many tokens for this view: it is made for up to 512.";
}

void draw_layer_maps(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory,
                     Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkLook& look = shown.look;
  const PartRun& part = *shown.part;
  const bool mean = look.view == LayersView::average;
  const bool relevance = look.view == LayersView::relevance;
  if (relevance && (!shown.relevance || shown.relevance->steps.empty()))
    return draw_centered_note(
        ui, box,
        shown.relevance ? shown.relevance->why_none : "Following the gradient back, one layer after another …");
  auto maps = mean ? part.means : part.rollout;
  if (!maps && !relevance) return draw_centered_note(ui, box, why_no_layer_map(shown, mean));
  const bool row = look.view == LayersView::rollout_row;
  if (!mean && !relevance && shown.picture) draw_rollout_choice(ui, box.take_top(ui.px(44)), row, actions);
  const InputPicture photograph = row ? photograph_of(model, shown) : InputPicture{};
  const Rect bottom = box.take_bottom(ui.px(44));
  const Index layers = part.layers();
  const Layout layout = lay_out(ui, box, layers);
  Block block;
  for (Index l = 0; l < layers; ++l) {
    const float x = std::round(box.x + layout.pitch_x * static_cast<float>(l % layout.columns)),
                y = std::round(box.y + layout.pitch_y * static_cast<float>(l / layout.columns));
    const bool chosen = l == look.layer;
    const Rect whole{x, y + ui.px(20), layout.pitch_x - ui.px(12), layout.pitch_y - ui.px(30)};
    const Rect map = row ? picture_in(whole, shown.picture->grid) : whole;
    const std::string path = fmt::format("layers/of/{}", l);
    const auto hit = ui.hit(path, map, false, "", chosen ? "selected" : "");
    const Rect name{x, y, ui.px(66), ui.px(18)};
    if (chosen) ui.fill({name.x - ui.px(6), name.y, name.w, name.h}, t.brand_soft, ui.px(4));
    ui.text_in(chosen ? Type::heading : Type::note, name, chosen ? t.text : t.text_muted, fmt::format("Layer {}", l));
    std::string key = fmt::format("{}/{}/{}", name_of(part.part), mean ? "mean" : "rollout", l);
    if (relevance) key = fmt::format("relevance/{}/{}/{}", shown.relevance->place, shown.relevance->token, l);
    MapData data = relevance
                       ? map_of_part(ui, shown, key, shown.relevance->steps[static_cast<std::size_t>(l)].values, 0)
                       : map_of_part(ui, shown, key, maps, l);
    if (row) cut_query_row(shown, l, data);
    if (photograph)
      draw_overlay(ui, memory, path, map, photograph, {data.cells, {}, data.range, data.colormap, data.numbers});
    else
      draw_map(ui, data, map, MapSize::small);
    block = block_drawn(data, map);
    if (row) draw_query_patch(ui, map, shown);
    ui.frame(map, hit.hovered ? t.text_muted : t.line_strong, 0, 1);
    if (chosen) ui.frame(map.inset(-ui.px(2)), t.brand, ui.px(3), ui.px(2));
    if (hit.clicked) actions.push_back(ChooseHead{l, look.head});
    if (hit.hovered && ui.double_clicked(map)) actions.push_back(OpenLayer{l});
  }
  const auto rows = static_cast<float>((layers + layout.columns - 1) / layout.columns);
  const float low = std::min(bottom.y + ui.px(6), box.y + layout.pitch_y * rows + ui.px(6));
  std::string words = mean ? fmt::format("mean weight of {} heads", shown.heads) : "rollout";
  if (relevance) words = fmt::format("relevance to the logit {}", number_text(shown.relevance->value));
  draw_layers_scale(ui, {bottom.x, low, bottom.w, bottom.h}, shown, words, "one scale for all layers", block, actions);
}

}  // namespace headlight::app
