#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/views/parts.h"
#include "app/platform/input.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"
#include "engine/picture/pooling.h"

namespace headlight::app {

namespace {

// The cell under the pointer while another is pinned, wherever it was found: on the map, a thumbnail or a token.
std::optional<CellAt> pointed_cell(const Model& model, const Slice& slice) {
  if (!shows_pinned(model) || !model.hover || model.hover->selection == effective_selection(model)) return std::nullopt;
  const auto row = selected_row(slice, model.hover->selection), column = selected_column(slice, model.hover->selection);
  if (!row || !column || *row >= slice.matrix.rows || *column >= slice.matrix.columns) return std::nullopt;
  return CellAt{*row, *column};
}

CellTip tip_of(Ui& ui, const Model& model, PanelMemory& memory, const Slice& slice, Index head, CellAt at) {
  const Step& step = *slice.step;
  CellTip tip;
  const auto query = query_of(step, slice.cell_at(at.row, at.column));
  const auto add = [&](const Axis* axis, Index position) {
    if (!axis) return;
    const bool named = !axis->labels.empty() || axis->grid || axis->position_of;
    const std::string name = named ? name_along(*model.trace(), step, axis, position, query, slice.item) : axis->name;
    tip.places.push_back({static_cast<std::size_t>(position), ui.fonts().display_text(name), axis->role});
  };
  add(slice.rows, at.row);
  add(slice.columns, at.column);
  const CellTrace& story = memory.get<Prepared>().cell_trace(model, step, slice.cell_at(at.row, at.column));
  tip.value = story.result;
  tip.role = story.result_role;
  tip.line = has_heads(step) && heads_of(step) > 1
                 ? fmt::format("{}, {}", step.info.title, counted_head(*model.trace(), step, head))
                 : step.info.title;
  return tip;
}

void draw_tip(Ui& ui, const Model& model, PanelMemory& memory, const Slice& slice, const char* where, Index head,
              CellAt at, Rect cell) {
  const std::string name = fmt::format("{}/{}/{}/{},{}", where, slice.step->info.id, head, at.row, at.column);
  if (ui.rests_on(name)) cell_tip(ui, cell, tip_of(ui, model, memory, slice, head, at));
}

HeatmapData heatmap_data(Ui& ui, const Model& model, PanelMemory& memory, const Slice& slice) {
  HeatmapData data = labelled_map(memory, *model.trace(), slice, effective_selection(model),
                                  memory.cells.map(ui, model, *slice.step, model.document.look.head));
  data.numbers = !model.document.look.hides("numbers");
  data.pinned = shows_pinned(model);
  data.pointed = pointed_cell(model, slice);
  if (const auto& second = model.document.look.second; second && second_cell(model)) {
    const auto row = slice.rows ? selected_row(slice, *second) : std::optional<Index>(0);
    data.second = CellAt{row.value_or(0), selected_column(slice, *second).value_or(0)};
  }
  return data;
}

// What stands below the map takes so much of the view: bars of the row and the colour bar, the latter alone, or
// nothing.
float room_below(const Ui& ui, float height) {
  if (height > ui.px(560)) return ui.px(108);
  if (height > ui.px(400)) return ui.px(94);
  return ui.px(height > ui.px(190) ? 46 : 8);
}

float draw_row_of(Ui& ui, Rect box, const Slice& slice, const HeatmapData& data, Rect map, float y) {
  const bool tall = box.h > ui.px(560);
  const float height = ui.px(tall ? 40 : 30);
  if (!data.row || *data.row >= data.map.cells.rows || box.bottom() - y <= height + ui.px(48)) return y;
  row_bars(ui, map, y, height, data, *data.row,
           role_colors(ui.theme(), slice.step->info.role == Role::none ? Role::output : slice.step->info.role).main);
  const Rect label{box.x, y + height - ui.px(44), map.x - box.x - ui.px(14), ui.px(46)};
  const Index row = data.first_row + *data.row;
  ui.text_in(Type::note, {label.x, label.y + ui.px(8), label.w, ui.px(16)}, ui.theme().text_faint, "row of",
             Ui::Align::right);
  std::string name = ui.fonts().display_text(label_of(slice.rows, row, slice.item));
  if (data.row_indexed && name != fmt::format("{}", row)) name = fmt::format("{} {}", row, name);
  ui.text_in(Type::heading, {label.x, label.y + ui.px(24), label.w, ui.px(16)},
             role_colors(ui.theme(), data.row_role).main, name, Ui::Align::right);
  return y + height + ui.px(tall ? 12 : 10);
}

void draw_bar_and_scale(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const Slice& slice,
                        const HeatmapData& whole, const HeatmapResult& drawn) {
  const Rect map = drawn.map;
  const MatrixView& shown = drawn.shown.map.cells;
  float y = draw_row_of(ui, box, slice, drawn.shown, map, map.bottom() + ui.px(box.h > ui.px(560) ? 12 : 10));
  if (shown.columns == whole.map.cells.columns)
    y += draw_channel_groups(ui, {map.x, y, map.w, 0}, channel_groups(model, *slice.step), shown.columns);
  if (box.bottom() - y < ui.px(30)) return;
  ColorBarData bar =
      map_scale(whole.map, "color bar",
                fmt::format("{}, {}", quantity_of(*slice.step),
                            scaling_in_words(*slice.step, model.document.look.scaling, whole.map.range)));
  bar.masked = memory.get<Prepared>().extent(whole.map).masked > 0;
  const Block block = block_for_pixels(shown.rows, shown.columns, static_cast<Index>(map.w), static_cast<Index>(map.h));
  bar.pooled = pooling_text(block, bar.range.is_signed() ? Pooling::magnitude : Pooling::maximum);
  // Of the chosen row; of all rows where nothing is hidden in any.
  const MatrixView& cells = whole.map.cells;
  const auto row = selected_row(slice, effective_focus(model).selection);
  Index keys = bar.masked ? 0 : cells.columns;
  if (slice.positions == Role::key)
    keys = visible_keys(*model.trace(), *slice.step, effective_focus(model));
  else if (row && *row < cells.rows)
    keys =
        visible_cells({cells.data + *row * cells.row_stride, 1, cells.columns, cells.row_stride, cells.column_stride});
  if (slice.step->info.kind == Kind::probability && keys > 0) bar.marked = 1.0F / static_cast<float>(keys);
  color_bar(ui, {map.x, y + ui.px(6), std::max(map.w, box.right() - map.x), ui.px(40)}, bar);
}

// How the thumbnails stand: in two columns, one, or up to four, larger where the map leaves room for it; none where
// there is none.
struct HeadsLayout {
  int columns = 0;
  float size = 1;  // times the usual

  float pitch_x(const Ui& ui) const { return ui.px(162 * size); }
  float pitch_y(const Ui& ui) const { return ui.px(172 * size); }
  float width(const Ui& ui) const { return columns == 0 ? 0 : static_cast<float>(columns) * pitch_x(ui); }
};

HeadsLayout lay_out_heads(const Ui& ui, Rect inside, Index heads) {
  HeadsLayout layout;
  // Two columns where the map beside them still has room for numbers in a dozen cells.
  layout.columns = inside.w > ui.px(430) ? 1 : 0;
  if (inside.w >= ui.px(800)) layout.columns = 2;
  if (layout.columns == 1 && inside.w < ui.px(640)) layout.size = 0.88F;
  if (layout.columns < 2) return layout;
  // Beside a map that is as wide as it is high there may be room for more, and larger ones.
  const auto fit = [&](int columns) {
    const auto across = static_cast<float>(columns), rows = std::ceil(static_cast<float>(heads) / across);
    const float spare = inside.w - inside.h - ui.px(16) - across * ui.px(162);
    layout.columns = columns;
    // A little smaller where that shows all of them.
    const float whole = inside.h / (rows * ui.px(172)), least = whole >= 0.88F ? std::min(whole, 1.0F) : 1.0F;
    layout.size = std::clamp(std::min(whole, 1 + spare / (across * ui.px(162))), least, 1.8F);
    return inside.w - inside.h - ui.px(16) - layout.width(ui);  // still free
  };
  for (float free = fit(2); free > layout.pitch_x(ui) && layout.columns < std::min<Index>(4, heads);)
    free = fit(layout.columns + 1);
  return layout;
}

// What a card needs less than a square one where maps are wider than they are high.
float saved_height(const Ui& ui, const HeadsLayout& layout, const Step& step, const Focus& focus) {
  const MatrixView cells = slice_of(step, focus).matrix;
  const ThumbnailSize size = thumbnail_size(ui, {0, 0, layout.pitch_x(ui), layout.pitch_y(ui)}, cells);
  return size.room - size.height;
}

void draw_heads(Ui& ui, Rect box, const HeadsLayout& layout, const Model& model, PanelMemory& memory,
                const Change& change, Actions& actions) {
  const Step& step = *model.step();
  const Index heads = heads_of(step);
  const Selection selection = effective_selection(model);
  scroll_area(ui, "heads", box, [&](Rect area) {
    const float w = layout.pitch_x(ui), h = layout.pitch_y(ui) - saved_height(ui, layout, step, effective_focus(model));
    for (Index at_place = 0; at_place < heads; ++at_place) {
      const Index m = first_head_at(step, at_place);
      const Rect place{area.x + w * static_cast<float>(at_place % layout.columns),
                       area.y + h * static_cast<float>(at_place / layout.columns), w, h};
      Focus focus = effective_focus(model);
      focus.head = m;
      const Slice slice = slice_of(step, focus);
      const bool seen = place.bottom() >= box.y && place.y <= box.bottom();
      ThumbnailData data;
      if (seen) data.map = memory.cells.map(ui, model, step, m);
      if (seen && change.both)
        if (auto map = memory.get<ChangeMemory>().contrast.map(ui, model, *change.both, Contrast::difference, m))
          data.map = std::move(*map);
      data.map.key = "head/" + data.map.key;
      data.number = head_number(*model.trace(), step, m);
      data.name = head_name(*model.trace(), step, m);
      data.current = at_place == place_of_head(step, model.document.look.head);
      const auto row = selected_row(slice, selection), column = selected_column(slice, selection);
      const bool all = !change.both || (change.of_head->rows.whole() && change.of_head->columns.whole());
      if (row && column && all) data.selected = CellAt{*row, *column};
      if (all) data.pointed = pointed_cell(model, slice);
      const ThumbnailResult result = head_thumbnail(ui, fmt::format("heads/{}", m), place, data);
      if (result.clicked) actions.push_back(SetHead{m});
      if (data.current) set_menu_anchor(memory, MenuTarget::head, place);
      if (result.menu) {
        actions.push_back(SetHead{m});
        open_menu(ui, memory, MenuTarget::head, actions);
      }
      if (!result.hovered) continue;
      const CellAt at = to_result_cell(change, *result.hovered);
      memory.hover = Hover{step.info.id, m, selection_at(slice, at.row, at.column, model.document.look.selection)};
      draw_tip(ui, model, memory, slice, "heads", m, at, result.hovered_rect);
    }
    return h * std::ceil(static_cast<float>(heads) / static_cast<float>(layout.columns));
  });
}

// Where the input is a signal: what it is answered with, in what the matrix leaves free, else above it.
void draw_signal_beside(Ui& ui, Rect& inside, bool heads, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!shows_signal(model, *model.step())) return;
  if (!heads && inside.w > ui.px(640)) {
    Rect column = inside.take_right(inside.w * 0.46F);
    column.take_left(ui.px(24));
    draw_signal_response(ui, {column.x, column.y + ui.px(70), column.w, std::min(ui.px(260), column.h * 0.5F)}, model,
                         memory, actions);
  } else if (inside.h > ui.px(480)) {
    draw_signal_response(ui, inside.take_top(ui.px(150)), model, memory, actions);
    inside.take_top(ui.px(8));
  }
}

}  // namespace

void draw_heatmap_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions) {
  const bool many = has_heads(*model.step()) && heads_of(*model.step()) > 1;
  const Rect header = inside.take_top(ui.px(inside.h > ui.px(400) ? 48 : 42));
  inside.take_top(ui.px(4));
  const bool hidden = model.document.look.hides("heads");
  const HeadsLayout layout = many && !hidden ? lay_out_heads(ui, inside, heads_of(*model.step())) : HeadsLayout{};
  const Change change = change_of(model, memory);
  const Rect free = draw_view_header(ui, header, model, "", "", actions, many && !hidden && layout.columns == 0);
  draw_change_button(ui, free, model, actions);
  if (layout.columns > 0) {
    Rect column = inside.take_right(layout.width(ui));
    column.x += ui.px(2);
    column.w += ui.px(8);  // the scroll bar stands beside them
    draw_heads(ui, column, layout, model, memory, change, actions);
    inside.take_right(ui.px(16));
  }
  draw_signal_beside(ui, inside, layout.columns > 0, model, memory, actions);
  if (!hidden) draw_next_heads(ui, inside, model, memory, actions);
  const Slice slice = slice_of(*model.step(), effective_focus(model));
  HeatmapData data = heatmap_data(ui, model, memory, slice);
  if (change.both) set_change_map(ui, model, memory, change, data);
  if (shows_change(model)) draw_change_line(ui, inside.take_top(ui.px(34)), change, actions);
  Rect room = inside;
  room.take_bottom(room_below(ui, inside.h));
  if (!channel_groups(model, *slice.step).empty()) room.take_bottom(ui.px(channel_groups_height));
  const HeatmapResult result = heatmap(ui, "heatmap", room, data);
  ui.log("heatmap/room", inside);
  if (change.both)
    draw_change_bar(ui, inside, data, result);
  else
    draw_bar_and_scale(ui, inside, model, memory, slice, data, result);
  const auto selected = [&](CellAt at) {
    at = to_result_cell(change, at);
    return selection_at(slice, at.row, at.column, model.document.look.selection);
  };
  if (result.clicked) {
    const Selection there = selected(*result.clicked);
    actions.push_back(modifiers().shift ? Action(PinSecond{there}) : Action(Select{there, true}));
  }
  if (result.marked) {
    const Look& look = model.document.look;
    const Selection first = selected(result.marked->first), last = selected(result.marked->second);
    if (!look.pinned || look.selection != first) actions.push_back(Select{first, true});
    if (last != first && look.second != last) actions.push_back(PinSecond{last});
    if (last == first && look.second) actions.push_back(PinSecond{*look.second});  // let go
  }
  open_map_menu(ui, memory, result, selected, model.document.look.selection, actions);
  if (!result.hovered) return;
  memory.hover = Hover{model.step()->info.id, model.document.look.head, selected(*result.hovered)};
  draw_tip(ui, model, memory, slice, "map", model.document.look.head, to_result_cell(change, *result.hovered),
           result.hovered_rect);
}

}  // namespace headlight::app
