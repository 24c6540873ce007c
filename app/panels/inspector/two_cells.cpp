#include <algorithm>
#include <cmath>

#include "app/panels/common/prepared.h"
#include "app/panels/inspector/parts.h"
#include "app/reading/cell_pair.h"
#include "app/reading/edits_offered.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_rows = 24;
constexpr float sign = 18;  // px of the design

// 1 or 2, as the cells are called here.
void draw_sign(Ui& ui, Point at, int number) {
  const Rect box{at.x, at.y, ui.px(sign), ui.px(sign)};
  ui.fill(box, ui.theme().ink, ui.px(4));
  ui.text_in(Type::number_small, box, ui.theme().on_ink, std::to_string(number), Ui::Align::center);
}

void draw_who_of(Form& form, const Model& model, int number, Index cell) {
  draw_sign(form.ui, {form.column.x, form.y + form.ui.px(5)}, number);
  Form beside = form;
  beside.column.take_left(form.ui.px(sign + 8));
  draw_who(beside, *model.trace(), *model.step(), cell, model.document.look.head);
  form.y = beside.y;
}

// Where what is said of each stands: the label, the first, the second, and what lies between them.
struct Places {
  Rect label, a, b, between;
};

Places places_in(const Ui& ui, Rect line, float label, float number) {
  Places places;
  places.label = line.take_left(ui.px(label));
  places.a = line.take_left(ui.px(number)).inset(ui.px(3), 0);
  places.b = line.take_left(ui.px(number)).inset(ui.px(3), 0);
  line.take_left(ui.px(8));
  places.between = line;
  return places;
}

// Room for the names of the operands, px of the design.
float names_of(const Ui& ui, const CellPair& pair) {
  float width = ui.width_of(Type::note, pair.index_heading);
  for (const PairedRow& row : pair.rows)
    width = std::max(width, ui.width_of(Type::label_strong, ui.fonts().display_text(row.index)));
  return std::clamp(width / ui.scale() + 8, 24.0F, 96.0F);
}

void draw_numbers_of(Ui& ui, const Places& places, Type type, Color32 color, const std::string& a,
                     const std::string& b) {
  ui.text_in(type, places.a, color, a, Ui::Align::right);
  ui.text_in(type, places.b, color, b, Ui::Align::right);
}

void draw_difference(Ui& ui, Rect box, double share) {
  if (box.w < ui.px(20)) return;
  const float zero = std::round(box.middle().x);
  const float length = static_cast<float>(share) * (box.w / 2 - ui.px(2));
  ui.line({zero, box.y}, {zero, box.bottom()}, ui.theme().line_strong);
  ui.fill({length < 0 ? zero + length : zero + 1, box.y + ui.px(4), std::abs(length), box.h - ui.px(8)},
          length < 0 ? ui.theme().bar_negative : ui.theme().bar_positive);
}

void draw_operands(Form& form, const CellPair& pair) {
  if (pair.rows.empty()) return;
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const float names = names_of(ui, pair);
  const auto of_row = [&](Rect line) { return places_in(ui, line, names, 82); };
  const Places heading = of_row(form.line(22));
  ui.text_in(Type::note, heading.label, t.text_faint, pair.index_heading);
  draw_numbers_of(ui, heading, Type::heading, t.text_muted, std::to_string(1), std::to_string(2));
  ui.text_in(Type::note, heading.between, t.text_faint, "1 − 2", Ui::Align::center);
  const double largest = pair.most_by ? std::abs(pair.rows[*pair.most_by].difference()) : 0;
  const auto shown = shown_rows(pair, most_rows);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const PairedRow& row = pair.rows[shown[i]];
    const Rect line = form.line(20);
    if (i % 2 == 0) ui.fill(line.inset(-ui.px(6), 0), t.sunken);
    const Places places = of_row(line);
    const bool most = pair.most_by == shown[i];
    ui.text_in(most ? Type::label_strong : Type::number_note, places.label, most ? t.text : t.text_faint,
               ui.fonts().display_text(row.index));
    const auto said = [](const std::optional<double>& value) { return value ? number_text(*value) : "masked"; };
    draw_numbers_of(ui, places, Type::number_note, t.text, said(row.a), said(row.b));
    const double share = largest > 0 && std::isfinite(row.difference()) ? row.difference() / largest : 0;
    draw_difference(ui, places.between, share);
    ui.log(fmt::format("pair/row/{}", i), line, fmt::format("{} {}", said(row.a), said(row.b)));
  }
  if (shown.size() < pair.rows.size()) {
    const Rect line = form.line(20);
    ui.text_in(Type::note, line, t.text_faint, fmt::format("{} differ less", pair.rows.size() - shown.size()));
  }
  form.y += ui.px(10);
}

void draw_lines(Form& form, const CellPair& pair) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  for (std::size_t i = 0; i < pair.lines.size(); ++i) {
    const PairedLine& line = pair.lines[i];
    const bool last = i + 1 == pair.lines.size(), here = pair.parts_at == i;
    const Rect row = form.line(last ? 34 : 26);
    const RoleColors role = role_colors(t, line.role);
    if (last) ui.fill(row.inset(-ui.px(6), 0), line.role == Role::none ? t.sunken : role.soft, ui.px(6));
    const float room = form.column.w / ui.scale();
    const Places places = places_in(ui, row, std::max(96.0F, room - 2 * 92 - 26), 92);
    // The sign stands behind the numbers; in a narrow panel before the label.
    const bool behind = ui.width_of(Type::label_strong, "≠") <= places.between.w;
    ui.text_in(here ? Type::label_strong : Type::label, places.label, here ? t.text : t.text_muted,
               here && !behind ? "≠ " + line.label : line.label);
    draw_numbers_of(ui, places, Type::number, line.differs ? t.text : t.text_faint, line.a, line.b);
    if (here && behind) ui.text_in(Type::label_strong, places.between, t.brand_text, "≠");
    ui.log(fmt::format("pair/{}", i), row, fmt::format("{} | {}", line.a, line.b), here ? "parts" : "");
  }
  form.y += ui.px(8);
}

}  // namespace

void draw_two_cells(Form& form, const Model& model, PanelMemory& memory, Index second) {
  const Step& step = *model.step();
  const auto first = cell_looked_at(step, focus_of(model.document.look));
  if (!first) return;
  Prepared& prepared = memory.get<Prepared>();
  const CellPair pair = pair_of(prepared.story(model, step, *first), prepared.story(model, step, second));
  draw_who_of(form, model, 1, *first);
  draw_who_of(form, model, 2, second);
  form.ui.log("pair/words", {form.column.x, form.y, form.column.w, 0}, pair.words);
  form.words(form.ui.theme().text, pair.words, Type::body, 8);
  draw_operands(form, pair);
  draw_lines(form, pair);
}

}  // namespace headlight::app
