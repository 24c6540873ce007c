#include "app/panels/common/map_parts.h"

#include <algorithm>
#include <cmath>

#include "app/panels/common/prepared.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

std::string axis_caption(const Axis* axis, const char* letter, const char* arrow) {
  if (!axis) return "";
  if (axis->role == Role::query || axis->role == Role::key) return fmt::format("{} {} {}", axis->name, letter, arrow);
  return fmt::format("{} {}", axis->name, arrow);
}

// Words that each have a number as well, by which those that are alike can be told apart.
bool is_indexed(const Axis* axis) {
  return axis && !labels_are_numbers(*axis) && !axis->grid && (axis->role == Role::query || axis->role == Role::key);
}

}  // namespace

HeatmapData labelled_map(PanelMemory& memory, const Trace& trace, const Slice& slice, const Selection& selection,
                         MapData map) {
  HeatmapData data;
  data.map = std::move(map);
  data.row_labels = memory.get<Prepared>().labels(slice.rows);
  data.column_labels = memory.get<Prepared>().labels(slice.columns);
  data.row_name = axis_caption(slice.rows, slice.rows && slice.rows->role == Role::key ? "j" : "i", "↓");
  data.column_name = axis_caption(slice.columns, "j", "→");
  data.row_role = slice.rows ? slice.rows->role : Role::none;
  data.column_role = slice.columns ? slice.columns->role : Role::none;
  data.row = selected_row(slice, selection);
  data.column = selected_column(slice, selection);
  data.row_indexed = is_indexed(slice.rows);
  data.column_indexed = is_indexed(slice.columns);
  if (const Index width = slice.is_picture() ? 0 : width_of_heads(trace, *slice.step); width > 0)
    for (Index c = width; c < data.map.cells.columns; c += width) data.column_groups.push_back(c);
  return data;
}

ColorBarData map_scale(const MapData& map, std::string key, std::string words) {
  ColorBarData bar;
  bar.key = std::move(key);
  bar.range = map.range;
  bar.colormap = map.colormap;
  bar.words = std::move(words);
  return bar;
}

void draw_ways_to_begin(Ui& ui, Point middle, Actions& actions) {
  if (button(ui, "empty/example", {middle.x - ui.px(158), middle.y, ui.px(150), ui.px(32)}, "Open the example",
             ButtonLook::primary))
    actions.push_back(New{});
  if (button(ui, "empty/open", {middle.x + ui.px(8), middle.y, ui.px(150), ui.px(32)}, "Open a file",
             ButtonLook::secondary, Icon::folder))
    actions.push_back(ShowDialog{Dialog::open});
}

void draw_busy(Ui& ui, Rect box, const Model& model) {
  if (!model.busy) return;
  if (!shows_busy(model)) {
    ui.change_at(ui.now() + busy_patience);
    return;
  }
  ui.fill(box, with_alpha(ui.theme().canvas, 0.5F));
  ui.fill({box.x, box.y, box.w * std::clamp(model.progress, 0.03F, 1.0F), ui.px(3)}, ui.theme().brand);
  constexpr std::string_view words = "Working · Esc cancels";
  const float width = ui.width_of(Type::label, words) + ui.px(32);
  const Rect card{std::round(box.middle().x - width / 2), std::round(box.middle().y - ui.px(18)), width, ui.px(36)};
  ui.fill(card, ui.theme().ink, ui.px(8));
  ui.text_in(Type::label, card, ui.theme().on_ink, words, Ui::Align::center);
  ui.change_at(ui.now() + 0.1);
}

}  // namespace headlight::app
