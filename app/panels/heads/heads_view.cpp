#include <algorithm>

#include "app/actions/action_table.h"
#include "app/panels/heads/heads.h"
#include "app/panels/heads/parts.h"
#include "app/panels/views/view_header.h"

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
  rows.order = heads_by(*measures, model.head_table.by, model.head_table.ascending);
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

// A button that does what the table of actions has under that name.
void draw_command(Ui& ui, Rect& row, const std::string& path, std::string_view id, const std::string& label,
                  const Model& model, Actions& actions) {
  const CommandOf of = command_named(id);
  const float width = ui.width_of(Type::control, label) + ui.px(28);
  if (width > row.w) return;
  const Rect place = row.take_right(width);
  row.take_right(ui.px(8));
  const std::string why = why_not(of, model);
  if (button(ui, path, place, label, ButtonLook::secondary, std::nullopt, why.empty()))
    actions.push_back(of.command->action(model));
  ui.tooltip(path, place, why.empty() ? hint_of(id, model) : why);
}

void draw_tools(Ui& ui, Rect row, const Model& model, Actions& actions) {
  Rect rest = row.inset(0, (row.h - ui.px(32)) / 2);
  std::string words = model.head_table.find;
  const Rect field = rest.take_left(std::min(ui.px(230), rest.w * 0.4F));
  const Typed typed = text_field(ui, "report/find", field, words, false, "Find heads: previous, induction …",
                                 {.own_undo = true, .keeps_on_enter = true});
  if (typed.changed) actions.push_back(FindHeads{words});
  rest.take_left(ui.px(12));
  const bool wide = rest.w > ui.px(460);
  draw_command(ui, rest, "report/save", "save-heads", wide ? "Save as CSV" : "CSV", model, actions);
  draw_command(ui, rest, "report/copy", "copy-heads", "Copy", model, actions);
  if (model.head_report.ablating)
    draw_command(ui, rest, "report/ablate", "stop-ablating",
                 fmt::format("{} of {} · Esc stops", model.head_report.ablated, model.head_report.measures->heads),
                 model, actions);
  else
    draw_command(ui, rest, "report/ablate", "ablate-heads", wide ? "Switch each off" : "Off", model, actions);
  if (model.head_report.ablating) ui.change_at(ui.now() + 0.1);
}

// What was found, or what was left out.
void draw_remarks(Ui& ui, Rect line, const Model& model, const HeadRows& rows) {
  const std::string said = rows.found ? rows.found->words : remarks_on(*model.head_report.measures);
  ui.text_in(Type::note, line, rows.found ? ui.theme().text : ui.theme().text_faint, said);
  ui.tooltip("report/said", line, said);
  ui.log("report/said", line, said);
}

void draw_waiting(Ui& ui, Rect box, const Model& model) {
  const bool map = model.trace()->map() != nullptr;
  ui.text_in(Type::body, {box.x, box.middle().y - ui.px(12), box.w, ui.px(24)}, ui.theme().text_muted,
             !map ? "Measures are of maps of queries and keys, and this mechanism has none." : "Measuring every head …",
             Ui::Align::center);
}

}  // namespace

void draw_heads_report(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const HeadReport& report = model.head_report;
  const Index heads = report.measures ? report.measures->heads : std::max<Index>(1, model.extent(AxisRole::head));
  const std::string what =
      report.measures
          ? fmt::format("{} · {} keys", heads == 1 ? "1 head" : fmt::format("{} heads", heads), report.measures->keys)
          : "";
  draw_view_header(ui, box.take_top(ui.px(48)), model, "All heads", what, actions);
  if (!report.measures) return draw_waiting(ui, box, model);
  refresh(memory.get<HeadRows>(), model);
  draw_tools(ui, box.take_top(ui.px(36)), model, actions);
  if (memory.get<HeadRows>().found || !remarks_on(*report.measures).empty())
    draw_remarks(ui, box.take_top(ui.px(22)), model, memory.get<HeadRows>());
  box.take_top(ui.px(6));
  const float rows = ui.px(30) + ui.px(36) * static_cast<float>(memory.get<HeadRows>().order.size()) + ui.px(8);
  const bool below = box.h >= ui.px(330);
  if (below) {
    const float least = ui.px(box.w > ui.px(560) ? 196 : 150);
    Rect low = box.take_bottom(std::max(least, box.h - rows));
    const bool plot = low.w > ui.px(520);
    Rect card = plot ? low.take_left(low.w - ui.px(330)) : low;
    card.take_right(ui.px(plot ? 20 : 0));
    draw_measure_card(ui, card.inset(0, ui.px(8)), model, memory.get<HeadRows>(), actions);
    if (plot)
      draw_head_plot(ui, {low.x, low.y + ui.px(4), low.w, std::min(low.h - ui.px(4), ui.px(330))}, model, memory,
                     actions);
  }
  draw_head_table(ui, box, model, memory, actions);
}

}  // namespace headlight::app
