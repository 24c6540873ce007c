#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

void set_menu_anchor(PanelMemory& memory, MenuTarget of, Rect place) {
  memory.get<MenuMemory>().places[static_cast<std::size_t>(of)] = place;
}

void open_menu(const Ui& ui, PanelMemory& memory, MenuTarget of, Actions& actions) {
  memory.get<MenuMemory>().opened_at = Rect{ui.mouse().x, ui.mouse().y, 0, 0};
  actions.push_back(ShowMenu{of});
}

void open_map_menu(Ui& ui, PanelMemory& memory, const HeatmapResult& drawn,
                   const std::function<Selection(CellAt)>& selected, const Selection& now, Actions& actions) {
  const MatrixView& cells = drawn.shown.map.cells;
  if (drawn.shown.row && *drawn.shown.row < cells.rows) {
    const Rect row = cell_rect(drawn.map, cells, *drawn.shown.row, 0);
    set_menu_anchor(memory, MenuTarget::row, row);
    if (drawn.shown.column && *drawn.shown.column < cells.columns)
      set_menu_anchor(memory, MenuTarget::cell, cell_rect(drawn.map, cells, *drawn.shown.row, *drawn.shown.column));
  }
  if (drawn.menu) {
    actions.push_back(Select{selected(*drawn.menu), true});
    open_menu(ui, memory, MenuTarget::cell, actions);
  } else if (drawn.menu_row) {
    const Selection there = selected({*drawn.menu_row, drawn.shown.first_column + drawn.shown.column.value_or(0)});
    Selection row = now;
    row.query = there.query;
    if (!there.query) row = there;
    actions.push_back(Select{row, row.query && row.key});
    open_menu(ui, memory, MenuTarget::row, actions);
  }
}

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

// "−3" to "+3": how far from their query the rows or columns of a window's keys lie.
std::vector<std::string> offset_labels(Index count) {
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) labels.push_back(offset_text(i - count / 2));
  return labels;
}

}  // namespace

HeatmapData labelled_map(PanelMemory& memory, const Trace& trace, const Slice& slice, const Selection& selection,
                         MapData map) {
  HeatmapData data;
  data.map = std::move(map);
  data.row_labels = memory.get<Prepared>().labels(slice.rows, slice.item);
  data.column_labels = memory.get<Prepared>().labels(slice.columns, slice.item);
  if (is_window(slice)) {
    data.row_labels = offset_labels(slice.matrix.rows);
    data.column_labels = offset_labels(slice.matrix.columns);
  }
  if (SpanLabels spans = span_labels(trace, slice); !spans.rows.empty()) {
    data.row_labels = std::move(spans.rows);
    data.column_labels = std::move(spans.columns);
  }
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

void draw_place(Ui& ui, Rect box, const RoleColors& role, std::string_view words) {
  constexpr float radius = 6;
  ui.fill(box, role.soft, ui.px(radius));
  ui.frame(box, role.main, ui.px(radius), ui.px(2));
  ui.text_in(Type::control, box.inset(ui.px(9), 0), ui.theme().text, words);
}

float draw_pair_of_tokens(Ui& ui, Rect line, const Trace& trace, const Step& map, Index query, Index key, Index item) {
  const float left = line.x;
  const auto chip = [&](AxisRole along, Index place, ChipRole as) {
    const Chip one{ui.fitted(Type::control, ui.fonts().display_text(label_of(map.axis(along), place, item)), ui.px(90)),
                   as};
    const auto number = static_cast<std::size_t>(place);
    draw_chip(ui, line.take_left(chip_width(ui, number, one)).inset(0, (line.h - ui.px(28)) / 2), number, one, false);
    line.take_left(ui.px(8));
  };
  chip(AxisRole::query, query, ChipRole::query);
  words_at_left(ui, Type::label, line, ui.theme().text_muted, "asks", 8);
  if (const Axis* keys = map.axis(AxisRole::key); keys && (keys->grid || keys->position_of)) {
    const std::string words = key_place(trace, map, key, query, item).in_full();
    draw_place(ui, line.take_left(ui.width_of(Type::control, words) + 2 * ui.px(9)).inset(0, (line.h - ui.px(28)) / 2),
               role_colors(ui.theme(), Role::key), words);
    line.take_left(ui.px(8));
    return line.x - left;
  }
  chip(AxisRole::key, key, ChipRole::key);
  return line.x - left;
}

ColorBarData map_scale(const MapData& map, std::string key, std::string words) {
  return {.key = std::move(key), .range = map.range, .colormap = map.colormap, .words = std::move(words)};
}

void draw_command(Ui& ui, const std::string& path, Rect place, std::string_view id, const std::string& label,
                  const Model& model, Actions& actions, ButtonLook look, std::optional<Icon> icon) {
  const CommandOf of = command_named(id);
  const std::string why = why_not(of, model);
  if (button(ui, path, place, label, look, icon, why.empty())) actions.push_back(of.command->action(model));
  ui.tooltip(path, place, why.empty() ? hint_of(id, model) : why);
}

void draw_icon_command(Ui& ui, const std::string& path, Rect place, std::string_view id, const Model& model,
                       Actions& actions, std::optional<Icon> icon, ButtonLook look) {
  const CommandOf of = command_named(id);
  const Icon sign = icon ? *icon : *icon_named(of.command->icon);
  if (icon_button(ui, path, place, sign, hint_of(id, model), why_not(of, model).empty(), look))
    actions.push_back(of.command->action(model));
}

void push_steps(const StepperResult& asked, int last, const Model& model, Actions& actions) {
  if (asked.pressed == Transport::first) actions.push_back(GoStage{0});
  if (asked.pressed == Transport::back) actions.push_back(MoveStage{-1});
  if (asked.pressed == Transport::play) actions.push_back(Play{!model.playing});
  if (asked.pressed == Transport::next) actions.push_back(MoveStage{1});
  if (asked.pressed == Transport::last) actions.push_back(GoStage{last});
  if (asked.gone_to >= 0) actions.push_back(GoStage{asked.gone_to});
}

void draw_centered_note(Ui& ui, Rect box, std::string_view words) {
  ui.text_in(Type::body, {box.x, box.middle().y - ui.px(12), box.w, ui.px(24)}, ui.theme().text_muted, words,
             Ui::Align::center);
}

void draw_start_buttons(Ui& ui, Point middle, Actions& actions) {
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
    ui.redraw_at(ui.now() + busy_delay);
    return;
  }
  ui.fill(box, with_alpha(ui.theme().canvas, 0.5F));
  ui.fill({box.x, box.y, box.w * std::clamp(model.progress, 0.03F, 1.0F), ui.px(3)}, ui.theme().brand);
  constexpr std::string_view words = "Working · Esc cancels";
  const float width = ui.width_of(Type::label, words) + ui.px(32);
  const Rect card{std::round(box.middle().x - width / 2), std::round(box.middle().y - ui.px(18)), width, ui.px(36)};
  ui.fill(card, ui.theme().ink, ui.px(8));
  ui.text_in(Type::label, card, ui.theme().on_ink, words, Ui::Align::center);
  ui.redraw_at(ui.now() + 0.1);
}

}  // namespace headlight::app
