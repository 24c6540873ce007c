// Which cell the inspector explains, two cells beside each other, and the dot product of what rotary positions turned,
// pair by pair.
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/inspector/parts.h"
#include "app/reading/cell_pair.h"
#include "app/reading/edits_offered.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// Where a cell lies along one axis, as a chip with what stands before it.
struct AxisChip {
  const Axis& axis;
  Index index;
  std::string before;        // "asks", "·"
  std::string words;         // of a place
  std::optional<Chip> chip;  // else a place
  float lead = 0;            // px before the chip
  float width = 0;
};

AxisChip make_axis_chip(Ui& ui, const Model& model, const Step& step, Index cell, std::size_t axis, float room) {
  const Index item = model.document.look.batch;
  const Index index = index_at_flat(step.tensor().shape(), cell)[axis];
  AxisChip one{step.info.axes[axis], index, {}, {}, {}};
  if (one.axis.role != Role::none) one.lead = ui.px(badge_size + 6);
  const ChipRole role = chip_role(one.axis.role);
  const bool numbered = !one.axis.labels.empty() && labels_are_numbers(one.axis);
  if ((one.axis.grid || numbered || one.axis.position_of) && role != ChipRole::none) {
    const KeyPlace place = key_place(*model.trace(), step, index, query_of(step, cell), item);
    const auto width_of = [&](const std::string& words) { return ui.width_of(Type::control, words) + 2 * ui.px(9); };
    one.words = role == ChipRole::key ? place.in_full() : query_text(step, cell);
    if (role == ChipRole::key && one.lead + width_of(one.words) > room)
      one.words = place.at + (place.outside ? " · outside" : "");
    one.width = width_of(one.words);
  } else {
    const bool named = !one.axis.labels.empty() || one.axis.grid;
    one.chip = Chip{named ? ui.fonts().display_text(label_of(&one.axis, index, item)) : one.axis.name, role};
    one.width = chip_width(ui, static_cast<std::size_t>(index), *one.chip);
    // Words may be of any length.
    if (named && !one.axis.grid && !numbered) one.width = std::min(one.width, room * 0.4F);
  }
  one.width = std::min(one.width, room - one.lead);
  return one;
}

void draw_axis_chip(Ui& ui, Rect& line, const AxisChip& one) {
  if (!one.before.empty()) words_at_left(ui, Type::label, line, ui.theme().text_muted, one.before, 8);
  if (one.lead > 0) badge(ui, {line.take_left(one.lead).x, line.middle().y - ui.px(badge_size) / 2}, one.axis.role);
  const Rect box = line.take_left(one.width);
  const std::string path = fmt::format("trace/who/{}", one.axis.symbol);
  if (one.chip) {
    draw_chip(ui, box, static_cast<std::size_t>(one.index), *one.chip, false);
    ui.log(path, box, fmt::format("{} {}", one.index, one.chip->text));
  } else {
    draw_place(ui, box, role_colors(ui.theme(), one.axis.role), one.words);
    ui.log(path, box, one.words);
  }
  line.take_left(ui.px(8));
}

constexpr std::size_t most_rows = 24;
constexpr float sign = 18;  // px of the design

// 1 or 2, as the cells are called here.
void draw_sign(Ui& ui, Point at, int number) {
  const Rect box{at.x, at.y, ui.px(sign), ui.px(sign)};
  ui.fill(box, ui.theme().ink, ui.px(4));
  ui.text_in(Type::number_small, box, ui.theme().on_ink, std::to_string(number), Ui::Align::center);
}

void draw_numbered(Form& form, const Model& model, int number, Index cell) {
  draw_sign(form.ui, {form.column.x, form.y + form.ui.px(5)}, number);
  Form beside = form;
  beside.column.take_left(form.ui.px(sign + 8));
  draw_position(beside, model, *model.step(), cell);
  form.y = beside.y;
}

// The columns of a line: its label, the first cell, the second, and their difference.
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
    if (places.between.w >= ui.px(20)) draw_signed_bar(ui, places.between, share, 4);
    ui.log(fmt::format("pair/row/{}", i), line, fmt::format("{} {}", said(row.a), said(row.b)));
  }
  if (shown.size() < pair.rows.size()) {
    ui.text_in(Type::note, form.line(20), t.text_faint, fmt::format("{} differ less", pair.rows.size() - shown.size()));
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

using mechanism::Arrow;

constexpr double degrees = 180 / std::numbers::pi;
constexpr std::size_t columns = 5;

// Of arrows that have a direction.
std::string angle_text(double radians, double length) {
  constexpr double no_length = 1e-9;
  return length < no_length ? std::string("–")
                            : with_minus_signs(fmt::format("{:.1f}", std::round(radians * degrees * 10) / 10 + 0.0));
}

using Texts = std::array<std::string, columns>;

Texts texts_of(const PairRow& row) {
  const mechanism::Dial& dial = row.dial;
  const double q = dial.q_rotated.length(), k = dial.k_rotated.length();
  return {number_text(row.frequency), angle_text(dial.q_rotated.angle(), q), angle_text(dial.k_rotated.angle(), k),
          angle_text(dial.between, q * k), number_text(dial.product)};
}

// "query (2.14, −0.97) at place 8 is turned by 144.9° to (−1.20, 2.02)".
std::string turned_in_words(const char* name, const Arrow& before, const Arrow& after, Index place, double frequency) {
  return with_minus_signs(fmt::format("{} ({:.2f}, {:.2f}) at place {} is turned by {:.1f}° to ({:.2f}, {:.2f})", name,
                                      before.x, before.y, place, static_cast<double>(place) * frequency * degrees,
                                      after.x, after.y));
}

std::string row_in_words(const PairTable& table, const PairRow& row, std::size_t pair) {
  return fmt::format("Pair {}, channels {} and {}: {}; {}.", pair, row.first, row.second,
                     turned_in_words("query", row.dial.q, row.dial.q_rotated, table.query_place, row.frequency),
                     turned_in_words("key", row.dial.k, row.dial.k_rotated, table.key_place, row.frequency));
}

struct Widths {
  std::array<float, columns> each{};
  float first = 0, bars = 0;
};

Widths widths_of(const Ui& ui, const std::vector<Texts>& rows, const Texts& headings, float room) {
  Widths widths;
  widths.first = ui.width_of(Type::number_small, std::to_string(rows.size())) + ui.px(6);
  for (std::size_t i = 0; i < columns; ++i) {
    widths.each[i] = ui.width_of(Type::heading, headings[i]);
    for (const Texts& row : rows) widths.each[i] = std::max(widths.each[i], ui.width_of(Type::number_small, row[i]));
  }
  const float taken = widths.first + std::reduce(widths.each.begin(), widths.each.end());
  const float air = std::clamp((room - taken) / (columns + 3), 0.0F, ui.px(14));
  for (float& width : widths.each) width += air;
  widths.bars = std::max(0.0F, room - taken - air * columns - ui.px(6));
  return widths;
}

}  // namespace

void draw_position(Form& form, const Model& model, const Step& step, Index cell) {
  Ui& ui = form.ui;
  Rect line = form.line(28);
  const float room = line.w;
  bool first = true, asked = false;
  for (std::size_t i = 0; i < step.info.axes.size(); ++i) {
    const Axis& axis = step.info.axes[i];
    const AxisRole along = role_along(axis);
    if (along == AxisRole::batch || along == AxisRole::head || along == AxisRole::one) continue;
    AxisChip one = make_axis_chip(ui, model, step, cell, i, room);
    if (!first) one.before = asked && axis.role == Role::key ? "asks" : "·";
    const float before = first ? 0 : ui.width_of(Type::label, one.before) + ui.px(8);
    if (!first && before + one.lead + one.width > line.w) {
      form.y += ui.px(6);
      line = form.line(28);
      one.before.clear();
    }
    draw_axis_chip(ui, line, one);
    first = false;
    asked = axis.role == Role::query;
  }
  const std::string head_text = counted_head(*model.trace(), step, model.document.look.head);
  if (has_heads(step) && heads_of(step) > 1 && ui.width_of(Type::note, head_text) <= line.w)
    ui.text_in(Type::note, line, ui.theme().text_muted, head_text, Ui::Align::right);
  form.y += ui.px(6);
}

void draw_two_cells(Form& form, const Model& model, PanelMemory& memory, Index second) {
  const Step& step = *model.step();
  const auto first = cell_looked_at(step, focus_of(model.document.look));
  if (!first) return;
  Prepared& prepared = memory.get<Prepared>();
  const CellPair pair = pair_of(prepared.cell_trace(model, step, *first), prepared.cell_trace(model, step, second));
  draw_numbered(form, model, 1, *first);
  draw_numbered(form, model, 2, second);
  form.log_words("pair/words", form.ui.theme().text, pair.words, Type::body, 8);
  draw_operands(form, pair);
  draw_lines(form, pair);
}

void draw_pairs(Form& form, const PairTable& table) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Texts headings{"θ", "q °", "k °", "angle °", "q·k"};
  const std::array colors{t.text_muted, t.query.main, t.key.main, t.score.main, t.score.main};
  constexpr std::size_t most = 24;  // rows drawn; the rest is one line
  const std::size_t drawn = std::min(most, table.rows.size());
  std::vector<Texts> texts;
  double largest = 1e-12;
  for (std::size_t r = 0; r < drawn; ++r) texts.push_back(texts_of(table.rows[r]));
  for (const PairRow& row : table.rows) largest = std::max(largest, std::abs(row.dial.product));
  const Widths widths = widths_of(ui, texts, headings, form.column.w);
  Rect line = form.line(22);
  ui.text_in(Type::note, line.take_left(widths.first), t.text_faint, "#");
  for (std::size_t i = 0; i < columns; ++i)
    ui.text_in(Type::heading, line.take_left(widths.each[i]), colors[i], headings[i], Ui::Align::right);
  for (std::size_t r = 0; r < drawn; ++r) {
    line = form.line(20);
    const std::string path = fmt::format("trace/pair/{}", r);
    ui.hit(path, line, false, fmt::format("{}", fmt::join(texts[r], " ")));
    ui.tooltip(path, line, row_in_words(table, table.rows[r], r));
    if (r % 2 == 0) ui.fill(line.inset(-ui.px(6), 0), t.sunken);
    ui.text_in(Type::number_small, line.take_left(widths.first), t.text_faint, std::to_string(r));
    for (std::size_t i = 0; i < columns; ++i)
      ui.text_in(Type::number_small, line.take_left(widths.each[i]), i == 4 ? t.score.main : t.text, texts[r][i],
                 Ui::Align::right);
    if (widths.bars < ui.px(16)) continue;
    line.take_left(ui.px(6));
    draw_signed_bar(ui, line, table.rows[r].dial.product / largest, 5);
  }
  double rest = 0;
  for (std::size_t r = drawn; r < table.rows.size(); ++r) rest += table.rows[r].dial.product;
  std::vector<std::string> besides;
  if (drawn < table.rows.size())
    besides.push_back(fmt::format("{} slower pairs, together {}", table.rows.size() - drawn, number_text(rest)));
  if (table.still != 0) besides.push_back(fmt::format("channels that do not turn: {}", number_text(table.still)));
  if (!besides.empty())
    ui.text_in(Type::note, form.line(20), t.text_faint, fmt::format("{}", fmt::join(besides, "; ")));
  line = form.line(28);
  ui.log("trace/pairs", line, number_text(table.sum));
  ui.text_in(Type::label, line, t.text_muted, fmt::format("sum of {} pairs", table.rows.size()));
  ui.text_in(Type::number, line, t.score.main, number_text(table.sum), Ui::Align::right);
  form.y += ui.px(6);
}

}  // namespace headlight::app
