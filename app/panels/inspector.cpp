#include <algorithm>
#include <cmath>

#include "app/model/cell_trace.h"
#include "app/model/figure_of.h"
#include "app/panels/code.h"
#include "app/panels/costs.h"
#include "app/panels/equivariance.h"
#include "app/panels/panels.h"
#include "app/widgets/formula_view.h"

namespace headlight::app {

namespace {

// Where the next line goes.
struct Column {
  Ui& ui;
  Rect box;
  float y;

  Rect line(float height) {
    const Rect r{box.x, y, box.w, ui.px(height)};
    y += r.h;
    return r;
  }
  void divider(Rect full) {
    ui.line({full.x, y}, {full.right(), y}, ui.theme().line);
    y += ui.px(16);
  }
};

void draw_formula(Column& column, Rect full, const Model& model, Actions& actions) {
  Ui& ui = column.ui;
  const Step& step = *model.step();
  Rect title = column.line(18);
  const Stage* stage = model.trace()->stage_of(step.info.id);
  const std::string where =
      model.stage() >= 0 ? fmt::format("Step {} · {}", model.stage() + 1, stage->title) : step.info.title;
  ui.text_in(Type::note, title.take_right(title.w * 0.7F), ui.theme().text_faint, where, Ui::Align::right);
  ui.text_in(Type::heading, title, ui.theme().text_muted, "Formula");
  column.y += ui.px(8);
  if (!step.info.formula.empty()) {
    constexpr float em = 20;
    const FormulaSize size = formula_size(ui, step.info.formula, em, column.box.w - ui.px(8));
    const Rect box{column.box.x, column.y, column.box.w, size.height + ui.px(12)};
    column.y += box.h + ui.px(6);
    const Trace& trace = *model.trace();
    const std::string under = formula_view(
        ui, "formula", box, step.info.formula, em,
        [&](const std::string& id) { return id == "this" ? step.info.role : role_of(trace, id); }, model.lit);
    if (under != model.lit) actions.push_back(Light{under});
  }
  column.divider(full);
}

void draw_explanation(Column& column, Rect full, const Model& model) {
  if (model.settings.expert) return;
  const Step& step = *model.step();
  const auto say = [&](const std::string& words, float gap) {
    column.y +=
        paragraph(column.ui, {column.box.x, column.y}, column.box.w, column.ui.theme().text, words) + column.ui.px(gap);
  };
  const auto head = static_cast<std::size_t>(model.document.look.head);
  const bool known_head = step.info.kind == Kind::probability && head < model.trace()->heads.size();
  say(step.info.note, known_head ? 8 : 14);
  if (known_head) say(fmt::format("Head {}: {}", head + 1, model.trace()->heads[head].sentence), 14);
  column.divider(full);
}

// "Q [9 cat] asks K [3 sat]": the cell's place along every axis but batch and head.
void draw_who(Column& column, const Step& step, Index cell, Index head) {
  Ui& ui = column.ui;
  Rect line = column.line(28);
  const Rect right = line;
  const auto index = index_at_flat(step.tensor().shape(), cell);
  bool first = true, asked = false;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const Axis& axis = step.info.axes[i];
    if (axis.symbol == "B" || axis.symbol == "M" || axis.symbol == "1") continue;
    if (!first) {
      const std::string_view between = asked && axis.role == Role::key ? "asks" : "·";
      ui.text_in(Type::label, line.take_left(ui.width_of(Type::label, between) + ui.px(8)), ui.theme().text_muted,
                 between);
    }
    first = false;
    asked = axis.role == Role::query;
    if (axis.role != Role::none)
      badge(ui, {line.take_left(ui.px(badge_size + 6)).x, line.middle().y - ui.px(badge_size) / 2}, axis.role);
    const ChipRole role = axis.role == Role::query ? ChipRole::query
                          : axis.role == Role::key ? ChipRole::key
                                                   : ChipRole::none;
    const bool named = !axis.labels.empty() || axis.grid;
    const Chip chip{named ? ui.fonts().display_text(label_of(&axis, index[i])) : axis.name, role};
    const float width = std::min(chip_width(ui, static_cast<std::size_t>(index[i]), chip), right.w * 0.4F);
    draw_chip(ui, line.take_left(width), static_cast<std::size_t>(index[i]), chip, false);
    line.take_left(ui.px(8));
  }
  const std::string head_text = fmt::format("head {}", head + 1);
  if (has_heads(step) && heads_of(step) > 1 && ui.width_of(Type::note, head_text) <= line.w)
    ui.text_in(Type::note, right, ui.theme().text_muted, head_text, Ui::Align::right);
  column.y += ui.px(6);
}

// Three decimals, so that columns line up; very large numbers as powers of ten.
std::string table_number(double value) {
  if (std::abs(value) < 0.0005) value = 0;  // not −0.000
  return std::abs(value) < 1e5 ? fmt::format("{:.3f}", value) : number_text(value);
}

void draw_table(Column& column, const OperandTable& table) {
  Ui& ui = column.ui;
  const Theme& t = ui.theme();
  float first = ui.px(24);  // as wide as its longest label
  for (const auto& row : table.rows)
    first = std::clamp(ui.width_of(Type::number_note, row.index) + ui.px(8), first, ui.px(64));
  const bool two_sums = table.headings.size() > 3;
  const float numbers = ui.px(64) * static_cast<float>(table.headings.size());
  const float bars = two_sums ? 0 : std::clamp(column.box.w - first - numbers, ui.px(36), ui.px(100));
  const float each = (column.box.w - bars - first) / static_cast<float>(table.headings.size());
  const auto cells = [&](Rect line, auto&& draw) {
    draw(line.take_left(first), std::size_t{0});
    for (std::size_t i = 0; i < table.headings.size(); ++i) draw(line.take_left(each), i + 1);
    return line;
  };
  const auto heading = [](std::string text) { return text == "weights" ? std::string("α") : text; };
  cells(column.line(22), [&](Rect cell, std::size_t i) {
    if (i == 0) return ui.text_in(Type::note, cell, t.text_faint, table.index_heading);
    std::string words = heading(table.headings[i - 1]);
    if (i == table.headings.size() && ui.width_of(Type::heading, words) > cell.w) words = "product";
    ui.text_in(Type::heading, cell.inset(ui.px(2), 0), role_colors(t, table.roles[i - 1]).main, words,
               Ui::Align::right);
  });
  double largest = 1e-12;
  for (const auto& row : table.rows)
    if (std::isfinite(row.product)) largest = std::max(largest, std::abs(row.product));
  constexpr std::size_t most = 256;  // rows drawn; the sum below is of all
  for (std::size_t r = 0; r < std::min(most, table.rows.size()); ++r) {
    const OperandRow& row = table.rows[r];
    const Rect line = column.line(20);
    if (r % 2 == 0) ui.fill(line.inset(-ui.px(6), 0), t.sunken);
    std::vector<double> numbers_in_row = row.factors;
    numbers_in_row.push_back(row.product);
    if (row.second) numbers_in_row.push_back(*row.second);
    const bool complete = numbers_in_row.size() == table.headings.size();
    const Rect rest = cells(line, [&](Rect cell, std::size_t i) {
      if (i == 0)
        return ui.text_in(Type::number_note, cell.inset(0, 0), t.text_faint, ui.fonts().display_text(row.index));
      // A bias has fewer factors: its product still stands in the last column.
      const std::size_t from_end = table.headings.size() - i;
      if (!complete && from_end != 0) return;
      const double value = complete ? numbers_in_row[i - 1] : row.product;
      ui.text_in(Type::number_note, cell.inset(ui.px(2), 0), t.text, table_number(value), Ui::Align::right);
    });
    if (rest.w < ui.px(24)) continue;  // two sums leave no room for bars
    const float zero = std::round(rest.x + rest.w * 0.5F);
    const float length =
        static_cast<float>(std::isfinite(row.product) ? row.product / largest : 0) * (rest.w / 2 - ui.px(2));
    ui.line({zero, line.y}, {zero, line.bottom()}, t.line_strong);
    ui.fill({length < 0 ? zero + length : zero + 1, line.y + ui.px(4), std::abs(length), line.h - ui.px(8)},
            length < 0 ? t.bar_negative : t.bar_positive);
  }
  if (table.rows.size() > most)
    ui.text_in(Type::note, column.line(20), t.text_faint,
               fmt::format("and {} more products", table.rows.size() - most));
  column.y += ui.px(10);
}

void draw_lines(Column& column, const CellTrace& story, Actions& actions) {
  Ui& ui = column.ui;
  const Theme& t = ui.theme();
  for (std::size_t i = 0; i < story.lines.size(); ++i) {
    const TraceLine& line = story.lines[i];
    Rect row = column.line(26);
    const std::string path = fmt::format("trace/{}", i);
    const auto hit = ui.hit(path, row, false, line.value);
    if (hit.hovered) ui.fill(row.inset(-ui.px(6), 0), t.sunken, ui.px(4));
    if (hit.clicked && !line.step.empty()) actions.push_back(ShowStep{line.step});
    ui.text_in(Type::label, row.take_left(ui.px(96)), t.text_muted, line.label);
    const float value = std::min(ui.width_of(Type::number, line.value), row.w * 0.6F);
    ui.text_in(Type::number, row.take_right(value), line.role == Role::score ? t.score.main : t.text, line.value,
               Ui::Align::right);
    if (ui.width_of(Type::number_note, line.expression) <= row.w) {
      ui.text_in(Type::number_note, row, t.text_muted, line.expression);
    } else {  // a rule in words: as many lines as it takes
      const Point at{row.x, row.y + ui.px(5)};
      column.y += paragraph(ui, at, row.w - ui.px(8), t.text_muted, line.expression, true, Type::note) - ui.px(14);
    }
  }
  column.y += ui.px(6);
}

void draw_result(Column& column, const CellTrace& story) {
  Ui& ui = column.ui;
  const Theme& t = ui.theme();
  const RoleColors role = role_colors(t, story.result_role);
  const bool plain = story.result_role == Role::none;
  const Rect full = column.line(40);
  const Rect box = full.inset(-ui.px(6), 0);
  ui.fill(box, plain ? t.sunken : role.soft, ui.px(6));
  Rect inside = box.inset(ui.px(12), 0);
  if (!plain) badge(ui, {inside.take_left(ui.px(26)).x, inside.middle().y - ui.px(badge_size) / 2}, story.result_role);
  ui.log("trace/result", box, story.result);
  const float width = ui.width_of(Type::result, story.result);
  ui.text_in(Type::result, inside.take_right(width), plain ? t.text : role.main, story.result, Ui::Align::right);
  ui.text_in(Type::body, inside, t.text, story.result_label);
  column.y += ui.px(6);
  Rect check = column.line(26);
  const Color32 color = story.check_ok ? t.ok : t.error;
  draw_icon(ui, story.check_ok ? Icon::check : Icon::warning,
            {check.take_left(ui.px(22)).x + ui.px(8), check.middle().y}, color);
  const float key = ui.px(62);
  const Rect keys = check.take_right(key).inset(ui.px(2), ui.px(3));
  ui.frame(keys, t.line_strong, ui.px(4));
  ui.text_in(Type::number_small, keys, t.text_muted, "Ctrl C", Ui::Align::center);
  if (ui.width_of(Type::note, story.check) + ui.px(72) <= check.w)
    ui.text_in(Type::note, check.take_right(ui.px(70)), t.text_faint, "copy trace", Ui::Align::right);
  ui.text_in(Type::note, check, color, story.check);
}

void draw_story(Column& column, const Model& model, Actions& actions) {
  Ui& ui = column.ui;
  const Step& step = *model.step();
  Rect title = column.line(20);
  ui.text_in(Type::note, title.take_right(title.w * 0.6F), ui.theme().text_faint,
             model.document.look.pinned ? "Esc releases" : "click a cell to pin", Ui::Align::right);
  ui.text_in(Type::heading, title, ui.theme().text_muted, "Cell trace");
  column.y += ui.px(6);
  const Selection selection = effective_selection(model);
  const Slice slice = slice_of(step, effective_focus(model));
  const auto row = slice.rows ? selected_row(slice, selection) : std::optional<Index>(0);
  const auto along = selected_column(slice, selection);
  if (!row || !along) {
    column.y += paragraph(ui, {column.box.x, column.y}, column.box.w, ui.theme().text_muted,
                          "Point at a cell of the map to see where its number comes from. Click to keep it; the arrow "
                          "keys then move it.");
    return;
  }
  const CellTrace story = trace_cell(*model.trace(), step, slice.cell_at(*row, *along));
  draw_who(column, step, slice.cell_at(*row, *along), model.document.look.head);
  if (story.table) draw_table(column, *story.table);
  draw_lines(column, story, actions);
  draw_result(column, story);
}

}  // namespace

float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!model.step()) return 0;
  Column column{ui, box.inset(ui.px(18), 0), box.y + ui.px(14)};
  draw_formula(column, box, model, actions);
  draw_explanation(column, box, model);
  memory.story_at = column.y - box.y;
  draw_story(column, model, actions);
  column.y += ui.px(14);
  column.y += draw_code(ui, {box.x, column.y, box.w, 0}, model, actions);
  column.y += draw_equivariance(ui, {box.x, column.y, box.w, 0}, model, actions);
  column.divider(box);
  column.y += draw_costs(ui, {column.box.x, column.y, column.box.w, 0}, model);
  return column.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
