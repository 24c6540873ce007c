// Below the cell: what can be set by hand, the code of the step, what the mechanism costs.
#include <imgui.h>

#include <cmath>
#include <limits>

#include "app/actions/action_table.h"
#include "app/panels/inspector/parts.h"
#include "app/reading/cell_trace.h"
#include "app/reading/costs.h"
#include "app/reading/edits_offered.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_listed = 8;  // edits; the file may hold thousands

// The number at the right of a line, in a frame.
std::optional<double> type_number(Form& form, const std::string& label, const std::string& path, double now) {
  const Rect box = form.row(label).take_right(form.ui.px(120));
  form.ui.frame(box, form.ui.theme().line_strong, form.ui.px(control_radius));
  const double most = std::numeric_limits<float>::max();
  return number_field(form.ui, path, box.inset(form.ui.px(8), 0), now, -most, most);
}

// One number for all cells between two that are pinned. On a picture they are no block of the array.
void draw_block(Form& form, const Model& model, Index first, double now, Actions& actions) {
  const Step& step = *model.step();
  const auto last = second_cell(model);
  if (!last || slice_of(step, focus_of(model.document.look)).is_picture()) return;
  const Edit block = edit_of_cells(step, first, *last, now);
  Index cells = 1;
  for (const auto& span : block.at) cells *= span->last - span->first + 1;
  if (const auto typed = type_number(form, fmt::format("These {} cells", cells), "by hand/block", now))
    actions.push_back(AddEdit{edit_of_cells(step, first, *last, *typed)});
}

// The number of the pinned cell, to be typed over.
void draw_number(Form& form, const Model& model, Actions& actions) {
  const Step& step = *model.step();
  const auto cell = cell_looked_at(step, focus_of(model.document.look));
  if (!cell) return;
  const auto now = static_cast<double>(step.tensor()[*cell]);
  if (!std::isfinite(now)) return;
  const bool masked = !why_masked(*model.trace(), step, *cell).empty();
  if (const auto typed = type_number(form, masked ? "Masked" : "This number", "by hand/number", now))
    actions.push_back(AddEdit{edit_of_cell(step, *cell, *typed)});
  draw_block(form, model, *cell, now, actions);
  if (const auto number = edit_to_move(step, focus_of(model.document.look), model.document.experiment->edits)) {
    form.log_words("by hand/moves", form.ui.theme().text_muted,
                   fmt::format("Edit {} holds this cell: Alt and an arrow move it.", *number));
  }
  form.y += form.ui.px(6);
}

// In as many rows as they need.
void draw_offers(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  Focus focus = focus_of(model.document.look);
  if (!shows_pinned(model)) focus.selection = {};
  const auto offers = edits_offered(*model.trace(), *model.step(), focus);
  Flow flow{.box = form.line(0), .height = ui.px(30), .gap = ui.px(6), .between = ui.px(6)};
  for (const EditOffer& offer : offers) {
    const Rect place = flow.next(ui.width_of(Type::control, offer.label) + ui.px(20));
    const std::string path = fmt::format("by hand/{}", offer.id);
    if (button(ui, path, place, offer.label)) actions.push_back(AddEdit{offer.edit});
    ui.tooltip(path, place, offer.about);
  }
  if (!offers.empty()) form.y = flow.bottom() + ui.px(8);
}

void draw_edits(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto& edits = model.document.experiment->edits;
  for (std::size_t i = 0; i < std::min(edits.size(), most_listed); ++i) {
    const auto number = static_cast<Index>(i + 1);
    const std::string words = fmt::format("{}  {}", number, edit_in_words(model.trace(), edits[i]));
    const float width = form.column.w - ui.px(84);
    const Color32 color = edits[i].on ? ui.theme().text : ui.theme().text_faint;
    const float height = std::max(ui.px(32), paragraph(ui, {}, width, color, words, false, Type::label) + ui.px(10));
    Rect line{form.column.x, form.y, form.column.w, height};
    form.y += height;
    const Rect place = line;
    const std::string path = fmt::format("by hand/edit/{}", number);
    ui.log(path, place, words, edits[i].on ? "" : "off");
    if (icon_button(ui, path + "/remove", line.take_right(ui.px(28)).inset(0, (height - ui.px(28)) / 2), Icon::close,
                    fmt::format("Remove edit {}", number)))
      actions.push_back(RemoveEdit{number});
    const Rect at = line.take_right(ui.px(48)).inset(0, (height - ui.px(22)) / 2);
    if (const auto on = toggle(ui, path + "/on", {at.x + ui.px(4), at.y, ui.px(40), at.h}, edits[i].on))
      actions.push_back(SwitchEdit{number, *on});
    paragraph(ui, {line.x, line.y + ui.px(6)}, width, color, words, true, Type::label);
  }
  if (edits.size() > most_listed) {
    const std::string more = fmt::format("and {} more, in the experiment's file", edits.size() - most_listed);
    ui.text_in(Type::note, form.row("", 22), ui.theme().text_faint, more);
  }
  if (edits.size() > 1) {
    const Rect place{form.column.x, form.y + ui.px(4), ui.px(110), ui.px(30)};
    if (button(ui, "by hand/remove all", place, "Remove all", ButtonLook::ghost)) actions.push_back(RemoveEdits{});
    form.y += ui.px(38);
  }
}

// The prices of a run at other sizes, kept until another is shown: each is a run without numbers.
struct CostCache {
  std::optional<std::uint64_t> run;
  CostChart chart;
};

// A plane on which both directions rise by powers.
struct CostPlane {
  Rect box;
  double least_x, most_x, least_y, most_y;

  Point at(double x, double y) const {
    const auto part = [](double v, double least, double most) {
      return static_cast<float>(std::log(v / least) / std::log(most / least));
    };
    return {box.x + box.w * part(x, least_x, most_x), box.bottom() - box.h * part(y, least_y, most_y)};
  }
};

void draw_ticks(Ui& ui, const CostPlane& plane, const CostChart& chart) {
  const Theme& t = ui.theme();
  for (double y = plane.least_y; y <= plane.most_y * 1.001; y *= 1000) {
    const float line = std::round(plane.at(plane.least_x, y).y);
    ui.line({plane.box.x, line}, {plane.box.right(), line}, t.line);
    ui.text_in(Type::number_small, {plane.box.x - ui.px(46), line - ui.px(8), ui.px(42), ui.px(16)}, t.text_faint,
               count_text(y), Ui::Align::right);
  }
  float free = -1e9F;
  for (const auto& point : chart.curves.front().points) {
    const Point p = plane.at(static_cast<double>(point.size), plane.least_y);
    const std::string text = fmt::format("{}", point.size);
    const float width = ui.width_of(Type::number_small, text) + ui.px(6);
    if (p.x - width / 2 < free) continue;
    free = p.x + width / 2;
    ui.text_in(Type::number_small, {p.x - width / 2, plane.box.bottom() + ui.px(3), width, ui.px(14)}, t.text_faint,
               text, Ui::Align::center);
  }
}

void draw_curve(Ui& ui, const CostPlane& plane, const CostCurve& curve) {
  const Color32 color = curve.current ? ui.theme().weight.main : ui.theme().text_faint;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    ui.line(plane.at(static_cast<double>(curve.points[i - 1].size), curve.points[i - 1].cost.operations),
            plane.at(static_cast<double>(curve.points[i].size), curve.points[i].cost.operations), color,
            ui.px(curve.current ? 2 : 1.5F));
}

}  // namespace

float draw_by_hand(Ui& ui, Rect box, const Model& model, Actions& actions) {
  if (!model.trace() || !model.step()) return 0;
  Form form{ui, box, box.y};
  form.heading("Set by hand");
  if (!shows_pinned(model) && !model.settings.expert && can_be_set(*model.step()))
    form.words(ui.theme().text_muted, "Change a number and see what follows from it: pin a cell and type another.",
               Type::body, 8);
  if (!can_be_set(*model.step())) {
    form.log_words("by hand/gradient", ui.theme().text_muted,
                   fmt::format("A gradient follows from the run. Set a number of the run itself: {} goes there.",
                               chord_of("show-gradient")));
    form.y += ui.px(8);
  } else if (shows_pinned(model)) {
    draw_number(form, model, actions);
  }
  draw_offers(form, model, actions);
  draw_edits(form, model, actions);
  return form.y + ui.px(10) - box.y;
}

float draw_code_lines(Ui& ui, Rect box, const std::string& lines, const std::string& path) {
  const Rect inside = box.inset(ui.px(10), 0);
  const float pad = ui.px(8);
  const auto each = [&](bool draw) {
    float y = box.y + pad;
    for (const std::string_view line : split_lines(lines)) {
      if (y > box.y + pad) y += ui.px(4);  // tells a line from the rest of one that is wrapped
      y += paragraph(ui, {inside.x, y}, inside.w, ui.theme().text, line, draw, Type::number_note);
    }
    return y + pad - box.y;
  };
  const Rect ground{box.x, box.y, box.w, each(false)};
  ui.fill(ground, ui.theme().sunken, ui.px(6));
  each(true);
  ui.log(path, ground, lines);
  return ground.h;
}

float draw_code(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  float y = box.y + ui.px(4);
  ui.line({box.x, y}, {box.right(), y}, t.line);
  y += ui.px(16);
  const Rect inside = box.inset(ui.px(18), 0);
  const std::string lines = with_python_names(model.step()->info.code.numpy);
  const Rect title{inside.x, y, inside.w, ui.px(20)};
  ui.text_in(Type::heading, title, t.text_muted, "Code");
  y += ui.px(26);
  if (!lines.empty()) {
    ui.text_in(Type::note, title, t.text_faint, "this step in NumPy", Ui::Align::right);
    y += draw_code_lines(ui, {inside.x, y, inside.w, 0}, lines, "code/lines") + ui.px(10);
  }
  const float width = std::floor((inside.w - ui.px(8)) / 2);
  const auto copy = [&](Language language, const char* label, float x) {
    const Rect at{x, y, width, ui.px(32)};
    const std::string path = fmt::format("code/{}", id_of(language));
    if (button(ui, path, at, label)) actions.push_back(CopyCode{language});
    ui.tooltip(path, at, "The whole run as a script that recomputes every step and compares it with the saved numbers");
  };
  copy(Language::numpy, "Copy as NumPy", inside.x);
  copy(Language::pytorch, "Copy as PyTorch", inside.right() - width);
  y += ui.px(40);
  const Rect save{inside.x, y, inside.w, ui.px(32)};
  if (button(ui, "code/arrays", save, "Save arrays")) actions.push_back(SaveArrays{});
  ui.tooltip("code/arrays", save,
             "The inputs, weights and steps that the script reads, as an .npz beside the experiment");
  return y + ui.px(36) - box.y;
}

float draw_costs(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  if (!model.shown.problem) return 0;
  if (memory.get<CostCache>().run != model.shown.ticket)
    memory.get<CostCache>() = {model.shown.ticket, cost_chart(*model.shown.problem)};
  const CostChart& chart = memory.get<CostCache>().chart;
  if (chart.curves.empty() || chart.curves.front().points.size() < 2) return 0;
  const Theme& t = ui.theme();
  float y = box.y;
  ui.text_in(Type::heading, {box.x, y, box.w, ui.px(20)}, t.text_muted, "What it costs");
  y += ui.px(22);
  const std::string own = fmt::format("{} operations, {} of steps at {}", count_text(chart.own.operations),
                                      bytes_text(chart.own.bytes), chart.at);
  y += paragraph(ui, {box.x, y}, box.w, t.text, own, true, Type::label) + ui.px(8);
  ui.log("costs", {box.x, box.y, box.w, y - box.y}, own);
  CostPlane plane{{box.x + ui.px(48), y + ui.px(4), box.w - ui.px(56), ui.px(120)}, 1e300, 0, 1e300, 0};
  for (const auto& curve : chart.curves)
    for (const auto& point : curve.points) {
      plane.least_x = std::min(plane.least_x, static_cast<double>(point.size));
      plane.most_x = std::max(plane.most_x, static_cast<double>(point.size));
      plane.least_y = std::min(plane.least_y, point.cost.operations);
      plane.most_y = std::max(plane.most_y, point.cost.operations);
    }
  plane.least_y = std::pow(1000, std::floor(std::log10(plane.least_y) / 3));
  plane.most_y *= 1.5;
  draw_ticks(ui, plane, chart);
  ui.line({plane.box.x, plane.box.bottom()}, {plane.box.right(), plane.box.bottom()}, t.line_strong);
  for (auto curve = chart.curves.rbegin(); curve != chart.curves.rend(); ++curve) draw_curve(ui, plane, *curve);
  const Point here = plane.at(static_cast<double>(chart.size), chart.own.operations);
  ui.line({std::round(here.x), here.y}, {std::round(here.x), plane.box.bottom()}, t.ink);
  ui.list().AddCircleFilled({here.x, here.y}, ui.px(5), t.brand, 24);
  ui.list().AddCircle({here.x, here.y}, ui.px(5), t.ink, 24, ui.px(1.5F));
  y = plane.box.bottom() + ui.px(20);
  ui.text_in(Type::note, {plane.box.x, y, plane.box.w, ui.px(16)}, t.text_faint, chart.of, Ui::Align::center);
  y += ui.px(20);
  float x = plane.box.x;
  for (const auto& curve : chart.curves) {
    ui.fill({x, y + ui.px(7), ui.px(16), ui.px(curve.current ? 3 : 2)}, curve.current ? t.weight.main : t.text_faint);
    x += ui.px(22) + ui.text(Type::note, {x + ui.px(22), y}, t.text_muted, curve.name) + ui.px(16);
  }
  return y + ui.px(20) - box.y;
}

}  // namespace headlight::app
