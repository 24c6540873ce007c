#include <algorithm>
#include <cmath>

#include "app/model/figure_of.h"
#include "app/panels/panels.h"
#include "app/panels/picture.h"
#include "app/panels/signal_view.h"
#include "engine/picture/pyramid.h"

namespace headlight::app {

namespace {

std::string stage_shape(const Trace& trace, const Stage& stage) {
  const Step* first = trace.find(stage.steps.front());
  const std::string shape = picture_shape(*first);
  return stage.steps.size() == 3 && first->info.id == "q" ? fmt::format("3·{}", shape) : shape;
}

TileData tile_of(Ui& ui, const Model& model, PanelMemory& memory, std::size_t i) {
  const Stage& stage = model.trace()->stages[i];
  TileData tile;
  tile.title = stage.tile;
  tile.shape = stage_shape(*model.trace(), stage);
  tile.current = static_cast<int>(i) == model.stage();
  tile.done = static_cast<int>(i) < model.stage();
  tile.lit = std::ranges::find(stage.steps, model.lit) != stage.steps.end();
  for (const auto& id : stage.steps) {
    const Step* step = model.trace()->find(id);
    const bool projection = id == "q" || id == "k" || id == "v";  // side by side; of other stages the first step alone
    if (!step || (!projection && !tile.maps.empty())) continue;
    tile.maps.push_back(memory.cells.map(ui, model, *step, model.document.look.head));
    MapData& map = tile.maps.back();
    map.key = "tile/" + map.key;
    // Weights over the pixels of a picture are small: a thumbnail is scaled to what it shows.
    if (step->info.kind == Kind::probability && slice_of(*step, effective_focus(model)).is_picture())
      map.range = {0, std::max(extent_of(map.cells).greatest, 1e-6F), Spacing::linear};
    if (projection) tile.underlines.push_back(step->info.role);
  }
  // The input of a picture is shown as that picture, on its grid.
  const InputPicture picture = base_picture(model, std::max<Index>(0, model.document.look.frame));
  if (picture && stage.steps.front() == model.shown.problem->specs.inputs.front().id)
    tile.instead = [&ui, &memory, picture](Rect box) { draw_picture(ui, memory, "tile", box, picture, true); };
  return tile;
}

std::string axis_caption(const Axis* axis, const char* letter, const char* arrow) {
  if (!axis) return "";
  if (axis->role == Role::query || axis->role == Role::key) return fmt::format("{} {} {}", axis->name, letter, arrow);
  return fmt::format("{} {}", axis->name, arrow);
}

HeatmapData heatmap_data(Ui& ui, const Model& model, PanelMemory& memory, const Slice& slice) {
  const Selection selection = effective_selection(model);
  HeatmapData data;
  data.map = memory.cells.map(ui, model, *slice.step, model.document.look.head);
  data.row_labels = shown_labels(ui, slice.rows);
  data.column_labels = shown_labels(ui, slice.columns);
  data.row_name = axis_caption(slice.rows, slice.rows && slice.rows->role == Role::key ? "j" : "i", "↓");
  data.column_name = axis_caption(slice.columns, "j", "→");
  data.row_role = slice.rows ? slice.rows->role : Role::none;
  data.column_role = slice.columns ? slice.columns->role : Role::none;
  data.row = selected_row(slice, selection);
  data.column = selected_column(slice, selection);
  data.pinned = model.document.look.pinned;
  if (slice.step->info.id == "concat" && model.shown.problem && !slice.is_picture()) {
    const auto width = model.shown.problem->symbols.find("d'");
    for (Index c = width == model.shown.problem->symbols.end() ? data.map.cells.columns : width->second;
         c < data.map.cells.columns; c += width->second)
      data.column_groups.push_back(c);
  }
  return data;
}

void draw_bar_and_scale(Ui& ui, Rect box, const Slice& slice, const HeatmapData& data, const Scaling& scaling,
                        Rect map) {
  const bool tall = box.h > ui.px(560);
  const float height = ui.px(tall ? 44 : 30);
  float y = map.bottom() + ui.px(tall ? 16 : 10);
  const bool bars = data.row && *data.row < data.map.cells.rows && box.bottom() - y > height + ui.px(48);
  if (bars) {
    row_bars(ui, map, y, height, data, *data.row,
             role_colors(ui.theme(), slice.step->info.role == Role::none ? Role::output : slice.step->info.role).main);
    const Rect label{box.x, y + height - ui.px(44), map.x - box.x - ui.px(14), ui.px(46)};
    ui.text_in(Type::note, {label.x, label.y + ui.px(8), label.w, ui.px(16)}, ui.theme().text_faint, "row of",
               Ui::Align::right);
    ui.text_in(Type::heading, {label.x, label.y + ui.px(24), label.w, ui.px(16)},
               role_colors(ui.theme(), data.row_role).main, ui.fonts().display_text(label_of(slice.rows, *data.row)),
               Ui::Align::right);
    y += height + ui.px(tall ? 20 : 10);
  }
  ColorBarData bar;
  bar.range = data.map.range;
  bar.colormap = data.map.colormap;
  bar.words = fmt::format("{}, {}", quantity_of(*slice.step), scaling_in_words(*slice.step, scaling, bar.range));
  const Extent extent = extent_of(data.map.cells);
  bar.masked = extent.masked > 0;
  const Block block = block_for_pixels(data.map.cells.rows, data.map.cells.columns, static_cast<Index>(map.w),
                                       static_cast<Index>(map.h));
  bar.pooled = pooling_text(block, bar.range.is_signed() ? Pooling::magnitude : Pooling::maximum);
  if (slice.step->info.kind == Kind::probability)
    bar.marked = 1.0F / static_cast<float>(std::max<Index>(1, data.map.cells.columns));
  color_bar(ui, {map.x, y + ui.px(6), std::max(map.w, box.right() - map.x), ui.px(40)}, bar);
}

void draw_heads(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Step& step = *model.step();
  const Index heads = heads_of(step);
  const int columns = box.w >= ui.px(320) ? 2 : 1;
  const Selection selection = effective_selection(model);
  scroll_area(ui, "heads", box, [&](Rect area) {
    const float w = ui.px(162), h = ui.px(172);
    for (Index m = 0; m < heads; ++m) {
      const Rect place{area.x + w * static_cast<float>(m % columns), area.y + h * static_cast<float>(m / columns), w,
                       h};
      if (place.bottom() < box.y || place.y > box.bottom()) continue;
      Focus focus = effective_focus(model);
      focus.head = m;
      const Slice slice = slice_of(step, focus);
      ThumbnailData data;
      data.map = memory.cells.map(ui, model, step, m);
      data.map.key = "head/" + data.map.key;
      data.number = fmt::format("{}", m + 1);
      data.name = head_name(*model.trace(), m);
      data.current = m == model.document.look.head;
      const auto row = selected_row(slice, selection), column = selected_column(slice, selection);
      if (row && column) data.selected = CellAt{*row, *column};
      const ThumbnailResult result = head_thumbnail(ui, fmt::format("heads/{}", m), place, data);
      if (result.clicked) actions.push_back(SetHead{m});
      if (result.hovered)
        memory.hover =
            Hover{step.info.id, m,
                  selection_at(slice, result.hovered->row, result.hovered->column, model.document.look.selection)};
    }
    return h * std::ceil(static_cast<float>(heads) / static_cast<float>(columns));
  });
}

void draw_empty(Ui& ui, Rect box, Actions& actions) {
  const Point middle = box.middle();
  const Rect words{box.x, middle.y - ui.px(50), box.w, ui.px(24)};
  ui.text_in(Type::title, words, ui.theme().text, "Type a sentence at the left, or open an example", Ui::Align::center);
  if (button(ui, "empty/example", {middle.x - ui.px(158), middle.y, ui.px(150), ui.px(32)}, "Open the example",
             ButtonLook::primary))
    actions.push_back(New{});
  if (button(ui, "empty/open", {middle.x + ui.px(8), middle.y, ui.px(150), ui.px(32)}, "Open a file",
             ButtonLook::secondary, Icon::folder))
    actions.push_back(ShowDialog{Dialog::open});
}

// A thin bar that moves while a run takes longer than a blink; old values dim.
void draw_busy(Ui& ui, Rect box, const Model& model) {
  constexpr double patience = 0.15;
  if (!model.busy) return;
  if (model.busy_seconds < patience) {
    ui.change_at(ui.now() + patience);
    return;
  }
  ui.fill(box, with_alpha(ui.theme().canvas, 0.5F));
  ui.fill({box.x, box.y, box.w * std::clamp(model.progress, 0.03F, 1.0F), ui.px(3)}, ui.theme().brand);
  ui.text_in(Type::note, {box.x + ui.px(24), box.y + ui.px(6), box.w, ui.px(16)}, ui.theme().text_muted,
             "Working · Esc cancels");
  ui.change_at(ui.now() + 0.1);
}

}  // namespace

void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!model.trace() || model.trace()->stages.empty()) return;
  const auto count = model.trace()->stages.size();
  const Rect inside = box.inset(ui.px(12), ui.px(box.h >= ui.px(120) ? 8 : 6));
  const float pitch = std::max(ui.px(86), inside.w / static_cast<float>(count));
  const float over = std::max(0.0F, pitch * static_cast<float>(count) - inside.w);
  // A strip that is too long slides so that the current tile is in view.
  const float slide =
      over <= 0 ? 0 : over * static_cast<float>(std::max(0, model.stage())) / static_cast<float>(count - 1);
  ui.clip(inside.inset(-ui.px(4), -ui.px(8)));
  for (std::size_t i = 0; i < count; ++i) {
    const float x = inside.x + pitch * static_cast<float>(i) - slide;
    const Rect tile{std::round(x + ui.px(3)), inside.y, std::round(pitch - ui.px(6)), inside.h};
    const std::string path = "pipeline/" + model.trace()->stages[i].id;
    if (pipeline_tile(ui, path, tile, tile_of(ui, model, memory, i))) actions.push_back(GoStage{static_cast<int>(i)});
    if (i > 0)
      draw_icon(ui, Icon::arrow_right, {std::round(x), inside.y + ui.px(box.h >= ui.px(120) ? 54 : 42)},
                ui.theme().text_faint);
  }
  ui.unclip();
}

void draw_heatmap_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions) {
  draw_view_header(ui, inside.take_top(ui.px(48)), model, "", "", actions);
  inside.take_top(ui.px(4));
  const bool heads = has_heads(*model.step()) && heads_of(*model.step()) > 1 && inside.w > ui.px(430);
  if (heads) {
    const float width = inside.w >= ui.px(712) ? ui.px(324) : ui.px(162);
    Rect column = inside.take_right(width);
    column.x += ui.px(6);
    draw_heads(ui, column, model, memory, actions);
    inside.take_right(ui.px(16));
  }
  if (shows_signal(model, *model.step())) {
    if (!heads && inside.w > ui.px(640)) {  // in what the matrix leaves free
      Rect column = inside.take_right(inside.w * 0.46F);
      column.take_left(ui.px(24));
      draw_signal_response(ui, {column.x, column.y + ui.px(70), column.w, std::min(ui.px(260), column.h * 0.5F)}, model,
                           memory, actions);
    } else if (inside.h > ui.px(480)) {
      draw_signal_response(ui, inside.take_top(ui.px(150)), model, memory, actions);
      inside.take_top(ui.px(8));
    }
  }
  const Slice slice = slice_of(*model.step(), effective_focus(model));
  const HeatmapData data = heatmap_data(ui, model, memory, slice);
  Rect room = inside;
  room.take_bottom(ui.px(inside.h > ui.px(560) ? 128 : inside.h > ui.px(330) ? 94 : 56));
  const HeatmapResult result = heatmap(ui, "heatmap", room, data);
  draw_bar_and_scale(ui, inside, slice, data, model.document.look.scaling, result.map);
  if (result.clicked)
    actions.push_back(
        Select{selection_at(slice, result.clicked->row, result.clicked->column, model.document.look.selection), true});
  if (result.hovered)
    memory.hover =
        Hover{model.step()->info.id, model.document.look.head,
              selection_at(slice, result.hovered->row, result.hovered->column, model.document.look.selection)};
}

namespace {

// Pairs whose keys lie on a grid, in the map view: they are drawn where they stand.
bool shows_picture(const Model& model) {
  const Slice slice = slice_of(*model.step(), focus_of(model.document.look));
  return slice.positions == Role::key && model.step()->axis("n_q");
}

}  // namespace

void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = box.inset(ui.px(24), 0);
  inside.take_top(ui.px(4));
  inside.take_top(draw_notices(ui, {inside.x, inside.y + ui.px(6), inside.w, 0}, model, actions));
  inside.take_bottom(ui.px(8));
  if (!model.step()) {
    if (!model.busy) draw_empty(ui, inside, actions);
    return draw_busy(ui, box, model);
  }
  switch (model.document.look.mode) {
    case ViewMode::map:
    case ViewMode::matrix:
      if (shows_picture(model))
        draw_picture_view(ui, inside, model, memory, actions);
      else
        draw_heatmap_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::lines:
      draw_lines(ui, inside, model, memory, actions);
      break;
    case ViewMode::numbers:
      draw_numbers(ui, inside, model, memory, actions);
      break;
  }
  draw_busy(ui, box, model);
}

}  // namespace headlight::app
