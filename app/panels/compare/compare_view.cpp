// The middle of the screen that compares: its header, the maps, the pair, the heads; or why there is nothing to see.
#include <cmath>

#include "app/actions/what_if.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/compare/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/printed.h"

namespace headlight::app {

namespace {

void draw_header(Ui& ui, Rect header, const Model& model, bool choose_head, Actions& actions) {
  Rect controls = header;
  if (choose_head) draw_head_choice(ui, controls, model, actions);
  const bool wide = controls.w > ui.px(420);
  const Rect box = controls.take_right(ui.px(wide ? 216 : 104)).inset(0, (controls.h - ui.px(32)) / 2);
  const auto now = static_cast<int>(model.document.contrast.view);
  const std::vector<Segment> all{{"difference", "B − A", ""}, {"ratio", "B / A", ""}, {"blink", "Blink", ""}};
  const int view = wide ? segments(ui, "compare/view", box, all, now)
                        : drop_down(ui, "compare/view", box, {"B − A", "B / A", "Blink"}, now);
  if (view >= 0) actions.push_back(SetContrast{static_cast<ContrastView>(view)});
  controls.take_right(ui.px(12));
  draw_batch(ui, controls, model, actions);
  draw_channel(ui, controls, model, actions);
  draw_stage_steps(ui, controls, model, actions);
  if (choose_head) return;
  const std::string title = title_of_view(model), words = subtitle_of_view(model);
  ui.text_in(Type::title, controls, ui.theme().text, ui.fitted(Type::title, title, controls.w));
  controls.take_left(std::min(controls.w, ui.width_of(Type::title, title) + ui.px(10)));
  if (ui.width_of(Type::label, words) <= controls.w) ui.text_in(Type::label, controls, ui.theme().text_faint, words);
}

// One line, and what could be done about it.
void draw_reason(Ui& ui, Rect box, const std::string& words) {
  const float width = std::min(box.w, ui.px(560));
  const float height = paragraph(ui, {}, width, ui.theme().text_muted, words, false);
  paragraph(ui, {box.middle().x - width / 2, box.middle().y - height / 2}, width, ui.theme().text_muted, words);
  ui.log("compare/reason", box, words);
}

// Nothing is held yet: what could be compared.
void draw_no_baseline(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const float width = std::min(box.w, ui.px(620));
  Rect area{box.middle().x - width / 2, box.y, width, box.h};
  scroll_area(ui, "compare/empty", area, [&](Rect inside) {
    Form form{ui, inside, inside.y + std::max(ui.px(16), box.h / 2 - ui.px(150))};
    form.words(ui.theme().text, "Nothing is held as A yet", Type::title, 8);
    form.words(ui.theme().text_muted,
               "Hold what is open as A, then change anything: what changes is laid beside it. Or ask a question, which "
               "holds what is open and makes one change.",
               Type::body, 16);
    const Rect hold{inside.x, form.y, ui.width_of(Type::control, "Hold this as A") + ui.px(32), ui.px(32)};
    if (button(ui, "compare/hold", hold, "Hold this as A", ButtonLook::primary)) actions.push_back(HoldA{});
    form.y += ui.px(56);
    ui.text(Type::heading, {inside.x, form.y}, ui.theme().text_muted, "What if");
    form.y += ui.px(24);
    Flow flow{.box = {inside.x, form.y, inside.w, 0}, .height = ui.px(32), .gap = ui.px(8), .between = ui.px(8)};
    for (const WhatIf& what : what_ifs(model))
      if (button(ui, "whatif/" + what.label, flow.next(ui.width_of(Type::control, what.label) + ui.px(32)), what.label))
        actions.push_back(TryWhatIf{what.id});
    return flow.y + ui.px(48) - inside.y;
  });
}

// Where the runs are not there, or cannot be laid beside each other: a line on why; empty where they can.
std::string compare_error(const Outcome& a, const Model& model) {
  if (!a.error.empty()) return "A cannot be run: " + a.error;
  if (!a.trace) return "A is being run …";
  if (!model.error.empty()) return "B cannot be run: " + model.error;
  return model.cancelled ? "B was not run to its end: run it again." : "";
}

std::string value_text(double value) {
  return std::isinf(value) && value < 0 ? "masked" : number_text(value, 3);
}

void draw_number(Ui& ui, Rect cell, const PairNumber& number, bool changed) {
  const Theme& t = ui.theme();
  ui.line({cell.x, cell.y + ui.px(10)}, {cell.x, cell.bottom() - ui.px(10)}, t.line);
  cell = cell.inset(ui.px(14), ui.px(cell.h > ui.px(64) ? 12 : 7));
  Rect name = cell.take_top(ui.px(18));
  ui.text(Type::note, {name.x, name.y}, t.text_muted, ui.fitted(Type::note, number.name, name.w));
  const std::string a = value_text(number.a) + " →", b = value_text(number.b);
  const float used = ui.text(Type::number, {cell.x, cell.y + ui.px(2)}, t.text_muted, a);
  const Color32 color = !changed || number.role == Role::none ? t.text : role_colors(t, number.role).main;
  ui.text(Type::number, {cell.x + used + ui.px(8), cell.y + ui.px(2)}, color, b);
}

// The pinned pair: what both runs say of it.
void draw_compared_pair(Ui& ui, Rect card, const Model& model, const SideBySide& both) {
  ui.frame(card, ui.theme().line_strong, ui.px(8));
  const Selection& at = both.focus_b.selection;
  const Axis *queries = both.step_b->axis(AxisRole::query), *keys = both.step_b->axis(AxisRole::key);
  Rect inside = card.inset(ui.px(16), 0);
  const bool one = at.query && at.key && queries && keys && *at.query < queries->size && *at.key < keys->size;
  const Step* map = nullptr;  // that this step leads to, else the first
  for (const Step* each : model.trace()->maps())
    for (const Step* step = each; step && !map; step = model.trace()->scores_before(*step))
      if (step == both.step_b) map = each;
  if (!map) map = model.trace()->map();
  if (!one || !map) {
    ui.text_in(Type::label, inside, ui.theme().text_muted, "Point at a cell or pin one: its numbers in A and in B");
    return;
  }
  inside.take_left(
      draw_pair_of_tokens(ui, inside, *model.trace(), *both.step_b, *at.query, *at.key, both.focus_b.batch) + ui.px(8));
  const bool partner = both.focus_a.selection.query && both.focus_a.selection.key;
  const auto numbers = partner ? pair_numbers(*both.a->trace, both.focus_a, *model.trace(), *map, both.focus_b)
                               : std::vector<PairNumber>();
  if (numbers.empty()) {
    ui.text_in(Type::label, inside, ui.theme().text_muted,
               partner ? "no number of this pair is in both" : "this pair has no partner in A");
    return;
  }
  // Those nearest to the weight where there is no room for all.
  float least = 0;
  for (const PairNumber& number : numbers)
    least = std::max({least, ui.width_of(Type::number, value_text(number.a) + " → " + value_text(number.b)),
                      std::min(ui.width_of(Type::note, number.name), ui.px(110))});
  least += ui.px(30);
  const auto fit = std::min(numbers.size(), static_cast<std::size_t>(std::max(1.0F, inside.w / least)));
  const float width = inside.w / static_cast<float>(fit);
  std::string said;
  for (std::size_t i = numbers.size() - fit; i < numbers.size(); ++i) {
    const bool changed = value_text(numbers[i].a) != value_text(numbers[i].b);
    draw_number(ui, inside.take_left(width), numbers[i], changed);
  }
  for (const PairNumber& number : numbers)
    said += fmt::format("{} {} → {}; ", number.name, value_text(number.a), value_text(number.b));
  ui.log("compare/pair", card, said);
}

// The maps, below them the pair, and below that the heads, as far as there is room.
void draw_stacked(Ui& ui, Rect inside, bool heads, const Model& model, const SideBySide& both, PanelMemory& memory,
                  Actions& actions) {
  if (heads) {
    draw_compared_heads(ui, inside.take_bottom(std::clamp(inside.h * 0.24F, ui.px(158), ui.px(212))), model, both,
                        memory, actions);
    inside.take_bottom(ui.px(8));
  }
  if (both.step_b->axis(AxisRole::query) && inside.h > ui.px(300)) {
    draw_compared_pair(ui, inside.take_bottom(ui.px(inside.h > ui.px(560) ? 72 : 58)), model, both);
    inside.take_bottom(ui.px(12));
  }
  draw_compared_maps(ui, inside, model, both, memory, actions);
}

void draw_beside(Ui& ui, Rect inside, const Model& model, const SideBySide& both, PanelMemory& memory,
                 Actions& actions) {
  const bool heads = both.why_not.empty() && has_compared_heads(model, both, memory) && inside.h > ui.px(470);
  draw_header(ui, inside.take_top(ui.px(48)), model, !heads && both.why_not.empty(), actions);
  if (!both.why_not.empty()) return draw_reason(ui, inside, both.why_not);
  const ContrastMaps& maps = contrast_in(memory).maps(model, both, contrast_of(model));
  if (!maps.why_not.empty()) return draw_reason(ui, inside, "These cannot be compared: " + maps.why_not);
  if (!maps.of_head(both.focus_b.head))
    return draw_reason(ui, inside,
                       fmt::format("This is head {}, and A and B have {} in common here: choose one of those",
                                   both.focus_b.head, maps.first + static_cast<Index>(maps.heads.size())));
  // Where there is no room for the pair below the maps, all of it scrolls.
  constexpr float least_height = 300;
  if (inside.h > ui.px(least_height)) return draw_stacked(ui, inside, heads, model, both, memory, actions);
  scroll_area(ui, "compare/all", inside, [&](Rect area) {
    const float height = ui.px(least_height + 40);
    draw_stacked(ui, {area.x, area.y, area.w - ui.px(10), height}, false, model, both, memory, actions);
    return height;
  });
}

}  // namespace

void draw_side_sign(Ui& ui, Point at, bool is_a) {
  const Rect box{std::round(at.x), std::round(at.y), ui.px(side_sign), ui.px(side_sign)};
  if (is_a)
    ui.fill(box, ui.theme().ink, ui.px(4));
  else
    ui.frame(box, ui.theme().ink, ui.px(4));
  ui.text_in(Type::note, box, is_a ? ui.theme().on_ink : ui.theme().text, is_a ? "A" : "B", Ui::Align::center);
}

void draw_compare_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = draw_view_notices(ui, box, model, actions);
  if (!model.step()) return;
  const Outcome& a = model.comparison.a.outcome;
  if (!model.document.held)
    draw_no_baseline(ui, inside, model, actions);
  else if (const std::string reason = compare_error(a, model); !reason.empty())
    draw_reason(ui, inside, reason);
  else
    draw_beside(ui, inside, model, contrast_in(memory).side_by_side(model, a), memory, actions);
  draw_busy(ui, box, model);
}

}  // namespace headlight::app
