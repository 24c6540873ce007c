#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/heads/parts.h"
#include "app/panels/views/parts.h"
#include "app/platform/input.h"
#include "app/reading/step_words.h"

namespace headlight::app {

void refresh(HeadRows& rows, const Model& model) {
  const auto& measures = model.head_report.measures;
  if (rows.measures == measures && rows.table == model.head_table && rows.ticket == model.shown.ticket) return;
  rows.measures = measures;
  rows.table = model.head_table;
  rows.ticket = model.shown.ticket;
  rows.order.clear();
  rows.found.reset();
  if (!measures || !model.trace()) return;
  rows.found = find_heads(*measures, *model.trace(), model.head_table.find);
  rows.order = sorted_heads(*measures, model.head_table.by, model.head_table.ascending);
  if (!rows.found) return;
  const auto& found = rows.found->heads;
  // By the score that they were found by, until another order is asked for.
  if (!model.head_table.by && !found.empty())
    rows.order = found;
  else if (!found.empty())
    std::erase_if(rows.order, [&](Index head) { return std::ranges::find(found, head) == found.end(); });
}

Measure chosen_measure(const Model& model, const HeadRows& rows) {
  if (model.head_table.by) return *model.head_table.by;
  return rows.found && rows.found->measure ? *rows.found->measure : Measure::entropy;
}

namespace {

// A command at the right of the row, where there is room for it.
void draw_tool(Ui& ui, Rect& row, const std::string& path, std::string_view id, const std::string& label,
               const Model& model, Actions& actions) {
  const float width = ui.width_of(Type::control, label) + ui.px(28);
  if (width > row.w) return;
  draw_command(ui, path, row.take_right(width), id, label, model, actions);
  row.take_right(ui.px(8));
}

void draw_tools(Ui& ui, Rect row, const Model& model, Actions& actions) {
  Rect rest = row.inset(0, (row.h - ui.px(32)) / 2);
  std::string words = model.head_table.find;
  const FieldResult typed =
      text_field(ui, "report/find", rest.take_left(std::min(ui.px(230), rest.w * 0.4F)), words, false,
                 "Find heads: previous, induction …", {.own_undo = true, .keeps_on_enter = true});
  if (typed.changed) actions.push_back(FindHeads{words});
  rest.take_left(ui.px(12));
  const bool wide = rest.w > ui.px(460);
  draw_tool(ui, rest, "report/save", "save-heads", wide ? "Save as CSV" : "CSV", model, actions);
  draw_tool(ui, rest, "report/copy", "copy-heads", "Copy", model, actions);
  if (model.head_report.ablating)
    draw_tool(ui, rest, "report/ablate", "stop-ablating",
              fmt::format("{} of {} · Esc stops", model.head_report.ablated, model.head_report.measures->heads), model,
              actions);
  else
    draw_tool(ui, rest, "report/ablate", "ablate-heads", wide ? "Switch each off" : "Off", model, actions);
  if (model.head_report.ablating) ui.redraw_at(ui.now() + 0.1);
}

// What was found, or what was left out.
void draw_remarks(Ui& ui, Rect line, const Model& model, const HeadRows& rows) {
  const std::string said = rows.found ? rows.found->words : remarks_on(*model.head_report.measures);
  ui.hit("report/said", line, false, said);
  ui.tooltip("report/said", line, said);
  ui.text_in(Type::note, line, rows.found ? ui.theme().text : ui.theme().text_faint,
             ui.fitted(Type::note, said, line.w));
}

constexpr float row_height = 36, heading_height = 30, least_column = 62;  // px of the design

struct Columns {
  Rect map, name;
  std::vector<std::pair<Measure, Rect>> measures;
};

// The measures that have numbers, as many as fit; the one that the table is sorted by is always among them.
std::vector<Measure> measures_shown(const Model& model, const HeadRows& rows, std::size_t room) {
  const HeadMeasures& measures = *model.head_report.measures;
  std::vector<Measure> list;
  for (const Measure measure : all_measures())
    if (measures[measure].missing == Missing::nothing) list.push_back(measure);
  if (list.size() <= room) return list;
  std::vector<Measure> first;
  if (model.head_table.by) first.push_back(*model.head_table.by);
  if (rows.found && rows.found->measure) first.push_back(*rows.found->measure);
  if (measures[Measure::ablation].missing == Missing::nothing) first.push_back(Measure::ablation);
  for (const Measure measure : list)
    if (std::ranges::find(first, measure) == first.end()) first.push_back(measure);
  first.erase(first.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, room)), first.end());
  std::erase_if(list, [&](Measure measure) { return std::ranges::find(first, measure) == first.end(); });
  return list;
}

Columns columns_in(const Ui& ui, Rect row, const Model& model, const HeadRows& rows) {
  Columns c;
  Rect rest = row;
  rest.take_left(ui.px(8));
  c.map = rest.take_left(ui.px(30));
  rest.take_left(ui.px(10));
  c.name = rest.take_left(std::clamp(rest.w * 0.2F, ui.px(76), ui.px(170)));
  rest.take_right(ui.px(10));  // the scroll bar
  const auto list = measures_shown(model, rows, static_cast<std::size_t>(rest.w / ui.px(least_column)));
  const float width =
      std::floor(std::min(ui.px(104), rest.w / static_cast<float>(std::max<std::size_t>(1, list.size()))));
  for (const Measure measure : list) c.measures.emplace_back(measure, rest.take_left(width));
  return c;
}

// A heading sorts: the greatest first, and the other way round when it is pressed again.
void draw_heading(Ui& ui, Rect box, const std::string& words, HeadOrder order, bool from_left, const Model& model,
                  Actions& actions) {
  const Theme& t = ui.theme();
  const HeadTable& table = model.head_table;
  const bool now = table.by == order, number = !order;
  const std::string path = fmt::format("report/by/{}", number ? "number" : id_of(*order));
  const auto hit = ui.hit(path, box, true, words, now ? "selected" : "");
  if (hit.hovered || now)
    ui.fill(box.inset(ui.px(2), ui.px(2)), now ? t.sunken : mix(t.canvas, t.text, 0.04F), ui.px(5));
  if (hit.focused) ui.focus_ring(box.inset(ui.px(2)), ui.px(5));
  const Rect inside = box.inset(ui.px(3), 0);
  const std::string arrow = fmt::format("{} {}", words, table.ascending ? "↑" : "↓");
  const bool fits = ui.width_of(Type::note, arrow) <= inside.w;
  ui.text_in(Type::note, inside, now ? t.text : t.text_muted, now && fits ? arrow : words,
             from_left ? Ui::Align::left : Ui::Align::right);
  // Which way it goes is seen at the edge too: the greatest stands at the bottom where it is ascending.
  if (now)
    ui.fill(
        {box.x + ui.px(4), table.ascending ? box.y + ui.px(2) : box.bottom() - ui.px(4), box.w - ui.px(8), ui.px(2)},
        t.ink);
  if (!number) ui.tooltip(path, box, fmt::format("{}. {}", row_of(*order).title, row_of(*order).says));
  if (hit.clicked) actions.push_back(SortHeads{order, now ? !table.ascending : number});
}

void draw_value(Ui& ui, Rect box, const HeadMeasures& measures, Measure measure, Index head, bool chosen) {
  const Theme& t = ui.theme();
  const Rect inside = box.inset(ui.px(6), 0);
  const double value = measures[measure].values[static_cast<std::size_t>(head)];
  ui.text_in(Type::number_note, {inside.x, inside.y + ui.px(4), inside.w, ui.px(18)}, chosen ? t.text : t.text_muted,
             measure_text(value), Ui::Align::right);
  const Rect bar{inside.x, inside.bottom() - ui.px(10), inside.w, ui.px(4)};
  ui.fill(bar, t.sunken);
  if (!std::isfinite(value)) return;
  const auto part = static_cast<float>(std::clamp(std::abs(value) / most_of(measures, measure), 0.0, 1.0));
  const Color32 positive = chosen ? t.weight.main : mix(t.canvas, t.weight.main, 0.55F);
  ui.fill({bar.x, bar.y, std::max(part > 0 ? 1.0F : 0.0F, bar.w * part), bar.h}, value < 0 ? t.bar_negative : positive);
}

void draw_row(Ui& ui, Rect row, Index head, const Model& model, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const bool current = head == model.document.look.head;
  const auto hit = ui.hit(fmt::format("report/head/{}", head), row, false, "", current ? "selected" : "");
  if (current) ui.fill(row, t.brand_soft, ui.px(6));
  if (hit.hovered && !current) ui.fill(row, mix(t.canvas, t.text, 0.04F), ui.px(6));
  const Columns c = columns_in(ui, row, model, memory.get<HeadRows>());
  MapData map = memory.cells.map(ui, model, *model.trace()->map(), head);
  map.key = "report/" + map.key;
  draw_map(ui, map, Rect{c.map.x, row.y + ui.px(3), ui.px(30), ui.px(30)}, MapSize::small);
  Rect name = c.name;
  const std::string number = head_number(*model.trace(), head);
  if (!number.empty()) {
    ui.text_in(Type::number_note, name.take_left(ui.px(22)), t.text_faint, number);
    name.take_left(ui.px(4));
  }
  ui.text_in(current ? Type::label_strong : Type::label, name, t.text, head_name(*model.trace(), head));
  for (const auto& [measure, box] : c.measures)
    draw_value(ui, {box.x, row.y, box.w, row.h}, *model.head_report.measures, measure, head,
               measure == chosen_measure(model, memory.get<HeadRows>()));
  if (current) set_menu_anchor(memory, MenuTarget::head, {row.x, row.y, c.name.right() - row.x, row.h});
  if (hit.menu) {
    actions.push_back(SetHead{head});
    return open_menu(ui, memory, MenuTarget::head, actions);
  }
  if (!hit.clicked) return;
  actions.push_back(SetHead{head});
  actions.push_back(ShowStep{model.trace()->map()->info.id});
  actions.push_back(SetMode{ViewMode::map});
}

// Arrows go by the order of the table, Enter opens the current head.
void take_keys(Ui& ui, const Model& model, const HeadRows& rows, Actions& actions) {
  if (!ui.memory().focus.empty() || rows.order.empty() || model.dialog != Dialog::none) return;
  const auto at = std::ranges::find(rows.order, model.document.look.head);
  const auto last = static_cast<std::ptrdiff_t>(rows.order.size()) - 1;
  std::ptrdiff_t now = at == rows.order.end() ? -1 : at - rows.order.begin();
  const std::ptrdiff_t before = now;
  if (take_key(Key::down)) now = std::min(now + 1, last);
  if (take_key(Key::up)) now = std::max<std::ptrdiff_t>(now - 1, 0);
  if (now != before) actions.push_back(SetHead{rows.order[static_cast<std::size_t>(now)]});
  if (!take_key(Key::enter, {}, false)) return;
  actions.push_back(ShowStep{model.trace()->map()->info.id});
  actions.push_back(SetMode{ViewMode::map});
}

void draw_head_table(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  HeadRows& rows = memory.get<HeadRows>();
  take_keys(ui, model, rows, actions);
  const Rect headings = box.take_top(ui.px(heading_height));
  const Columns c = columns_in(ui, headings, model, rows);
  draw_heading(ui, {c.map.x, headings.y, c.name.right() - c.map.x, headings.h}, "head", std::nullopt, true, model,
               actions);
  for (const auto& [measure, place] : c.measures)
    draw_heading(ui, place, row_of(measure).heading, measure, false, model, actions);
  ui.line({headings.x, headings.bottom()}, {headings.right(), headings.bottom()}, ui.theme().line_strong);
  const float height = ui.px(row_height);
  // The current head comes into view once; after that the wheel decides.
  const auto at = std::ranges::find(rows.order, model.document.look.head);
  float& scroll = ui.memory().scroll["report"];
  if (at != rows.order.end() && rows.scrolled_to != model.document.look.head) {
    const float y = height * static_cast<float>(at - rows.order.begin());
    scroll = std::max(std::min(scroll, y), y + height + ui.px(8) - box.h);
  }
  rows.scrolled_to = model.document.look.head;
  box.take_top(ui.px(2));
  scroll_rows(ui, "report", box, rows.order.size(), height,
              [&](std::size_t i, Rect row) { draw_row(ui, row, rows.order[i], model, memory, actions); });
}

}  // namespace

void draw_heads_report(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const HeadReport& report = model.head_report;
  const Index heads = report.measures ? report.measures->heads : std::max<Index>(1, model.extent(AxisRole::head));
  std::string what;
  if (report.measures) {
    what = fmt::format("{} {} · {} keys", heads, heads == 1 ? "head" : "heads", report.measures->keys);
    if (const std::string item = item_in_words(model); !item.empty()) what += " · " + item;
  }
  draw_view_header(ui, box.take_top(ui.px(48)), model, "All heads", what, actions);
  if (!report.measures)
    return draw_centered_note(ui, box,
                              model.trace()->map()
                                  ? "Measuring every head …"
                                  : "Measures are of maps of queries and keys, and this mechanism has none.");
  HeadRows& kept = memory.get<HeadRows>();
  refresh(kept, model);
  draw_tools(ui, box.take_top(ui.px(36)), model, actions);
  if (kept.found || !remarks_on(*report.measures).empty()) draw_remarks(ui, box.take_top(ui.px(22)), model, kept);
  box.take_top(ui.px(6));
  const float rows = ui.px(30) + ui.px(36) * static_cast<float>(kept.order.size()) + ui.px(8);
  const bool below = box.h >= ui.px(330);
  if (below) {
    Rect low = box.take_bottom(std::max(ui.px(box.w > ui.px(560) ? 196 : 150), box.h - rows));
    const bool plot = low.w > ui.px(520);
    Rect card = plot ? low.take_left(low.w - ui.px(330)) : low;
    card.take_right(ui.px(plot ? 20 : 0));
    draw_measure_card(ui, card.inset(0, ui.px(8)), model, kept, actions);
    if (plot)
      draw_head_plot(ui, {low.x, low.y + ui.px(4), low.w, std::min(low.h - ui.px(4), ui.px(330))}, model, memory,
                     actions);
  }
  draw_head_table(ui, box, model, memory, actions);
}

}  // namespace headlight::app
