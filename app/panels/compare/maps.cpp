// A and B on one scale and what is between them on a signed one, in three maps or in one place in turn.
#include <fmt/ranges.h>

#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/compare/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr double blink_rest = 0.8;  // s that each of both is seen

// One scale for A and B: what both of theirs cover.
ValueRange shared_range(const Model& model, const SideBySide& both) {
  const Look& look = model.document.look;
  const ValueRange a = shown_range(*both.step_a, look.batch, both.focus_a.head, look.scaling,
                                   query_alone(*both.step_a, both.focus_a)),
                   b = shown_range(*both.step_b, look.batch, look.head, look.scaling,
                                   query_alone(*both.step_b, both.focus_b));
  ValueRange range = b;
  range.low = std::min(a.low, b.low);
  range.high = std::max(a.high, b.high);
  if (range.is_signed()) range = {-std::max(-range.low, range.high), std::max(-range.low, range.high), b.spacing};
  if (a.spacing != b.spacing) range = {std::min(0.0F, range.low), range.high, Spacing::linear};
  return range;
}

std::string bar_caption(const Model& model, const SideBySide& both, const ValueRange& range) {
  return fmt::format("{}, {}, the same scale for A and B", quantity_of(*both.step_b),
                     scaling_in_words(*both.step_b, model.document.look.scaling, range));
}

// Which of the three maps.
enum class MapOf { a, b, between };

// The three maps, each with the labels of its own positions.
struct Maps {
  HeatmapData a, b;
  std::optional<HeatmapData> between;
  const Difference* difference = nullptr;
  Slice slice_a, slice_b;
  bool same_rows = false;  // the labels at the left of the first are those of all
};

HeatmapData difference_map(const Model& model, const Maps& maps, MapData map) {
  const Difference& d = *maps.difference;
  HeatmapData data = maps.b;
  data.map = std::move(map);
  keep_partners(data, d);
  data.column_groups.clear();
  const MatrixView a = maps.a.map.cells, b = maps.b.map.cells, between = data.map.cells;
  const ValueRange range = data.map.range;
  const Contrast contrast = contrast_of(model);
  data.text = [a, b, between, range, contrast, &d](Index i, Index j) -> std::string {
    const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
    const auto column = d.column_in_a(i, j);
    if (!column) return "";  // another window in A
    const bool in_a = is_masked(a.at(d.rows.a[r], *column)), in_b = is_masked(b.at(d.rows.b[r], d.columns.b[c]));
    if (in_a != in_b) return in_a ? "A" : "B";  // masked in that one alone
    return in_a ? "" : contrast_text(between.at(i, j), range, contrast);
  };
  return data;
}

Maps maps_of(Ui& ui, const Model& model, const SideBySide& both, PanelMemory& memory) {
  Maps maps;
  maps.slice_a = slice_of(*both.step_a, both.focus_a);
  maps.slice_b = slice_of(*both.step_b, both.focus_b);
  MapData of_b = memory.cells.map(ui, model, *both.step_b, both.focus_b.head);
  of_b.range = shared_range(model, both);
  of_b.colormap = default_colormap(of_b.range.is_signed(), ui.theme().dark);
  maps.a = labelled_map(memory, *both.a->trace, maps.slice_a, both.focus_a.selection,
                        contrast_in(memory).map_of_a(ui, both, of_b));
  maps.b = labelled_map(memory, *model.trace(), maps.slice_b, both.focus_b.selection, std::move(of_b));
  maps.a.pinned = maps.b.pinned = shows_pinned(model);
  const Contrast contrast = contrast_of(model);
  if (auto map = contrast_in(memory).map(ui, model, both, contrast, both.focus_b.head)) {
    maps.difference = contrast_in(memory).maps(model, both, contrast).of_head(both.focus_b.head);
    maps.between = difference_map(model, maps, std::move(*map));
  }
  maps.same_rows = maps.a.row_labels == maps.b.row_labels && maps.difference && maps.difference->rows.whole();
  return maps;
}

// A cell of one of the maps as a selection of B; nothing where it has no partner there.
std::optional<Selection> selection_in_b(const SideBySide& both, const Maps& maps, MapOf which, CellAt at) {
  if (which == MapOf::a) {
    const Selection of_a = selection_at(maps.slice_a, at.row, at.column, both.focus_a.selection);
    const Selection of_b = partner_in_b(*both.positions, of_a);
    const bool lost = (of_a.query && !of_b.query) || (of_a.key && !of_b.key);
    return lost ? std::nullopt : std::optional(of_b);
  }
  if (which == MapOf::between) {
    at.row = maps.difference->rows.b[static_cast<std::size_t>(at.row)];
    at.column = maps.difference->columns.b[static_cast<std::size_t>(at.column)];
  }
  return selection_at(maps.slice_b, at.row, at.column, both.focus_b.selection);
}

std::string value_words(float value) {
  return is_masked(value) ? "masked" : number_text(value, 4);
}

// "A 0.3278 · B 0.6000": both numbers of a cell, as far as there are both.
CellTip tip_of(Ui& ui, const Trace& trace, const SideBySide& both, const Maps& maps, MapOf which, CellAt at) {
  CellTip tip;
  const auto& d = *maps.difference;
  const auto row_of = [&](bool a) -> std::optional<Index> {
    if (which == MapOf::between) return (a ? d.rows.a : d.rows.b)[static_cast<std::size_t>(at.row)];
    if ((which == MapOf::a) == a) return at.row;
    return a ? d.rows.partner_in_a(at.row) : d.rows.partner_in_b(at.row);
  };
  const auto column_of = [&](bool a) -> std::optional<Index> {
    if (which == MapOf::between && a) return d.column_in_a(at.row, at.column);
    if (which == MapOf::between) return d.columns.b[static_cast<std::size_t>(at.column)];
    if ((which == MapOf::a) == a) return at.column;
    const Slice& from = which == MapOf::a ? maps.slice_a : maps.slice_b;
    const auto query = query_of(*from.step, from.cell_at(at.row, at.column));
    return a ? d.columns.partner_in_a(at.column, query) : d.columns.partner_in_b(at.column, query);
  };
  const auto value = [&](bool a) -> std::string {
    const auto row = row_of(a), column = column_of(a);
    if (!row || !column) return "no partner";
    return value_words((a ? maps.a : maps.b).map.cells.at(*row, *column));
  };
  const Slice& slice = which == MapOf::a ? maps.slice_a : maps.slice_b;
  const Index row = which == MapOf::between ? d.rows.b[static_cast<std::size_t>(at.row)] : at.row,
              column = which == MapOf::between ? d.columns.b[static_cast<std::size_t>(at.column)] : at.column;
  const bool keys_on_picture = slice.positions == Role::key;
  const Trace& of_slice = which == MapOf::a ? *both.a->trace : trace;
  const auto query = query_of(*slice.step, slice.cell_at(row, column));
  for (const auto& [axis, place] : {std::pair{slice.rows, row}, {slice.columns, column}})
    if (axis && !keys_on_picture)
      tip.places.push_back({static_cast<std::size_t>(place),
                            ui.fonts().display_text(name_along(of_slice, *slice.step, axis, place, query, slice.item)),
                            axis->role});
  tip.value = fmt::format("{} → {}", value(true), value(false));
  tip.role = both.step_b->info.role;
  tip.line = "A → B";
  if (keys_on_picture)
    tip.line += " · key " + cell_in_words(of_slice, slice, row, column,
                                          (which == MapOf::a ? both.focus_a : both.focus_b).selection, "");
  return tip;
}

struct Placed {
  MapOf which;
  HeatmapData* data;
  const char* path;
  Rect box;
};

void draw_map_of(Ui& ui, const Placed& placed, const Model& model, const SideBySide& both, const Maps& maps,
                 PanelMemory& memory, Actions& actions, HeatmapResult& drawn) {
  drawn = heatmap(ui, placed.path, placed.box, *placed.data);
  if (!maps.difference) return;
  if (drawn.clicked)
    if (const auto there = selection_in_b(both, maps, placed.which, *drawn.clicked))
      actions.push_back(Select{*there, true});
  if (drawn.menu)
    if (const auto there = selection_in_b(both, maps, placed.which, *drawn.menu)) {
      actions.push_back(Select{*there, true});
      open_menu(ui, memory, MenuTarget::cell, actions);
    }
  if (!drawn.hovered) return;
  if (const auto there = selection_in_b(both, maps, placed.which, *drawn.hovered))
    memory.hover = Hover{both.step_b->info.id, model.document.look.head, *there};
  const std::string name = fmt::format("{}/{},{}", placed.path, drawn.hovered->row, drawn.hovered->column);
  if (ui.rests_on(name))
    cell_tip(ui, drawn.hovered_rect, tip_of(ui, *model.trace(), both, maps, placed.which, *drawn.hovered));
}

// Which head of A and of B is shown, where one is called otherwise than the other; else empty.
std::string side_head_name(const Model& model, const SideBySide& both, bool of_a) {
  if (!has_heads(*both.step_a) && !has_heads(*both.step_b)) return "";
  const std::string a = head_name(*both.a->trace, *both.step_a, both.focus_a.head),
                    b = head_name(*model.trace(), *both.step_b, both.focus_b.head);
  if (a == b) return "";
  return of_a ? a : b;
}

void draw_heading(Ui& ui, Rect line, float indent, MapOf which, const Model& model, const SideBySide& both) {
  line.take_left(indent);
  if (which == MapOf::between) {
    const bool ratio = contrast_of(model) == Contrast::ratio;
    words_at_left(ui, Type::label_strong, line, ui.theme().text, ratio ? "B / A" : "B − A", 8);
    const char* words = ratio ? "by powers of two" : "signed";
    if (ui.width_of(Type::note, words) <= line.w) ui.text_in(Type::note, line, ui.theme().text_faint, words);
    return;
  }
  draw_side_sign(ui, {line.x, line.middle().y - ui.px(side_sign) / 2}, which == MapOf::a);
  line.take_left(ui.px(side_sign + 8));
  std::string words = side_head_name(model, both, which == MapOf::a);
  const std::string differs = differs_in_words(model, which == MapOf::a);
  if (!words.empty() && !differs.empty()) words += " · ";
  words += differs;
  ui.log(which == MapOf::a ? "compare/head/a" : "compare/head/b", line, words);
  ui.text_in(Type::note, line, ui.theme().text_muted, ui.fitted(Type::note, words, line.w));
}

// What of both has no partner, and what is masked in one alone; empty where nothing is.
std::string unmatched_note(const Maps& maps) {
  const Difference& d = *maps.difference;
  std::vector<std::string> parts;
  const bool rows = d.rows.by_token;
  const auto lone = [&](const char* side, const Slice& slice, const std::vector<Index>& places) {
    if (places.empty()) return;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 4); ++i)
      names.push_back(
          fmt::format("{} {}", places[i], label_of(rows ? slice.rows : slice.columns, places[i], slice.item)));
    if (places.size() > 4) names.push_back(fmt::format("{} more", places.size() - 4));
    parts.push_back(fmt::format("in {} alone: {}", side, fmt::join(names, ", ")));
  };
  lone("A", maps.slice_a, rows ? d.rows.only_a : d.columns.only_a);
  lone("B", maps.slice_b, rows ? d.rows.only_b : d.columns.only_b);
  if (d.masked_in_a > 0) parts.push_back(fmt::format("{} masked in A alone", d.masked_in_a));
  if (d.masked_in_b > 0) parts.push_back(fmt::format("{} masked in B alone", d.masked_in_b));
  if (d.outside_a > 0) parts.push_back(fmt::format("{} keys of B in no window of A", d.outside_a));
  if (d.outside_b > 0) parts.push_back(fmt::format("{} keys of A in no window of B", d.outside_b));
  if (d.undefined > 0) parts.push_back(fmt::format("{} without a ratio", d.undefined));
  std::string words = fmt::format("{}", fmt::join(parts, " · "));
  if (!words.empty() && words[0] == 'i') words[0] = 'I';
  return words;
}

void draw_bar(Ui& ui, Rect box, const HeatmapData& data, const char* key, std::string words, bool masked) {
  if (box.h < ui.px(30)) return;
  ColorBarData bar = map_scale(data.map, key, std::move(words));
  bar.masked = masked;
  color_bar(ui, box, bar);
}

// In one place A and B in turn. Where motion is reduced, what is shown waits for the other contrast to be chosen.
void draw_blinking(Ui& ui, Rect box, const Model& model, const SideBySide& both, Maps& maps, PanelMemory& memory,
                   Actions& actions) {
  const bool still = model.settings.reduce_motion;
  const auto turn = static_cast<long long>(std::floor(ui.now() / blink_rest));
  const bool is_a = !still && turn % 2 == 0;
  if (!still) ui.redraw_at((static_cast<double>(turn) + 1) * blink_rest);
  Rect line = box.take_top(ui.px(24));
  const Rect bar = box.take_bottom(ui.px(box.h > ui.px(300) ? 46 : 0));
  const MapOf which = is_a ? MapOf::a : MapOf::b;
  HeatmapData& data = is_a ? maps.a : maps.b;
  // Both by one name, so that neither fades into the other.
  HeatmapResult drawn;
  draw_map_of(ui, {which, &data, is_a ? "compare/blink/a" : "compare/blink/b", box}, model, both, maps, memory, actions,
              drawn);
  draw_heading(ui, line, drawn.map.x - box.x, which, model, both);
  draw_bar(ui, {drawn.map.x, drawn.map.bottom() + ui.px(10), box.right() - drawn.map.x, bar.h}, data, "compare bar",
           bar_caption(model, both, data.map.range), false);
}

}  // namespace

Contrast contrast_of(const Model& model) {
  return model.document.contrast.view == ContrastView::ratio ? Contrast::ratio : Contrast::difference;
}

void draw_compared_maps(Ui& ui, Rect box, const Model& model, const SideBySide& both, PanelMemory& memory,
                        Actions& actions) {
  Maps maps = maps_of(ui, model, both, memory);
  if (model.document.contrast.view == ContrastView::blink)
    return draw_blinking(ui, box, model, both, maps, memory, actions);
  const bool three = box.w >= ui.px(720);
  const float gap = ui.px(28), labels = row_label_room(ui, maps.a);
  Rect headings = box.take_top(ui.px(24));
  const bool bars = box.h > ui.px(200), below = box.h > ui.px(240);
  const std::string words = unmatched_note(maps);
  Rect foot = box.take_bottom(ui.px(bars ? 46 : 4) + (below && !words.empty() ? ui.px(20) : 0));
  std::vector<Placed> list;
  if (three) {
    maps.b.bare_rows = maps.between->bare_rows = maps.same_rows;
    const float alone = maps.same_rows ? (box.w - labels - 2 * gap) / 3 : (box.w - 2 * gap) / 3;
    const float first = maps.same_rows ? alone + labels : alone;
    list = {
        {MapOf::a, &maps.a, "compare/a", {box.x, box.y, first, box.h}},
        {MapOf::b, &maps.b, "compare/b", {box.x + first + gap, box.y, alone, box.h}},
        {MapOf::between, &*maps.between, "compare/between", {box.x + first + alone + 2 * gap, box.y, alone, box.h}}};
  } else {
    list = {{MapOf::between, &*maps.between, "compare/between", box}};
  }
  std::vector<HeatmapResult> drawn(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    draw_map_of(ui, list[i], model, both, maps, memory, actions, drawn[i]);
    Rect line = headings;
    line.x = list[i].box.x;
    line.w = list[i].box.w;
    draw_heading(ui, line, drawn[i].map.x - line.x, list[i].which, model, both);
  }
  float low = 0;
  for (const HeatmapResult& one : drawn) low = std::max(low, one.map.bottom());
  const auto bar_at = [&](const HeatmapResult& one, float right) {
    return Rect{one.map.x, low + ui.px(10), right - one.map.x, bars ? ui.px(40) : 0};
  };
  const bool masked =
      memory.get<Prepared>().extent(maps.b.map).masked + memory.get<Prepared>().extent(maps.a.map).masked > 0;
  if (three)
    draw_bar(ui, bar_at(drawn[0], list[2].box.x - gap), maps.a, "compare bar",
             bar_caption(model, both, maps.a.map.range), masked);
  const bool ratio = contrast_of(model) == Contrast::ratio;
  draw_bar(ui, bar_at(drawn.back(), box.right()), *maps.between, "contrast bar", ratio ? "log₂ B / A" : "B − A", false);
  if (below && !words.empty())
    ui.text_in(Type::note, {drawn[0].map.x, low + ui.px(52), box.right() - drawn[0].map.x, ui.px(18)},
               ui.theme().text_muted, ui.fitted(Type::note, words, box.right() - drawn[0].map.x));
  ui.log("compare/words", foot, words);
}

}  // namespace headlight::app
