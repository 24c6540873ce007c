#include <cmath>

#include "app/actions/what_if.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/printed.h"
#include "app/reading/row_numbers.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// Where the columns stand: the index and label at the left, then each column's bars with its number at their right.
struct NumberColumns {
  Rect index;
  std::vector<Rect> columns;
};

constexpr float row_bar_room = 8;  // px of the design, at the right of the rows: they scroll

// Where a row of the list stands in a box over or under it: columns lie below each other.
Rect row_rect(const Ui& ui, Rect box) {
  return {box.x, box.y, box.w - ui.px(row_bar_room), box.h};
}

NumberColumns columns_in(const Ui& ui, Rect line, const RowNumbers& told) {
  NumberColumns c;
  const std::size_t count = told.columns.size();
  line.take_right(ui.px(10));
  const float numbered = line.w > ui.px(640) ? 126 : 96;
  c.index = line.take_left(ui.px(told.places ? 190 : numbered));
  const float gap = ui.px(28), each = (line.w - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  // A single column of plain numbers need not be wider than is read with ease.
  const float width = count == 1 ? std::min(each, ui.px(420)) : each;
  for (std::size_t i = 0; i < count; ++i) {
    c.columns.push_back(line.take_left(width));
    line.take_left(gap);
  }
  return c;
}

Color32 bar_color(const Ui& ui, const NumberColumn& column, double value) {
  if (column.role == Role::weight) return ui.theme().weight.main;
  if (value < 0) return ui.theme().bar_negative;
  if (column.role != Role::none) return role_colors(ui.theme(), column.role).main;
  return column.least < 0 ? ui.theme().bar_positive : ui.theme().mask.main;  // of both signs: as on its map
}

void draw_number(Ui& ui, Rect box, const NumberColumn& column, double value, bool selected) {
  const std::string text = number_text(value, column.digits);
  const Rect number = box.take_right(ui.px(80));
  ui.text_in(Type::number, number, ui.theme().text, text, Ui::Align::right);
  if (!std::isfinite(value)) return;
  const double span = column.most - column.least;
  const float zero = std::round(box.x + box.w * static_cast<float>(-column.least / span));
  const float length = box.w * static_cast<float>(value / span);
  if (column.least < 0) ui.line({zero, box.y}, {zero, box.bottom()}, ui.theme().line_strong);
  const float tall = std::clamp(std::round(box.h * 0.55F), ui.px(6), ui.px(24));
  const Rect bar{length < 0 ? zero + length : zero, box.middle().y - tall / 2, std::max(std::abs(length), ui.px(1)),
                 tall};
  ui.fill(bar, bar_color(ui, column, value));
  if (selected && column.role == Role::weight) ui.frame(bar, ui.theme().ink);
}

void draw_headings(Ui& ui, Rect box, const RowNumbers& told) {
  const Theme& t = ui.theme();
  const NumberColumns c = columns_in(ui, row_rect(ui, box), told);
  ui.text_in(Type::heading, {c.index.x + ui.px(14), box.y, c.index.w, ui.px(20)}, role_colors(t, told.index_role).main,
             told.index_name);
  for (std::size_t i = 0; i < told.columns.size(); ++i) {
    const Rect r = c.columns[i];
    const Role role = told.columns[i].role;
    ui.text_in(Type::heading, {r.x, box.y, r.w, ui.px(20)}, role == Role::none ? t.text : role_colors(t, role).main,
               told.columns[i].heading);
    ui.text_in(Type::note, {r.x, box.y + ui.px(20), r.w, ui.px(18)}, t.text_faint, told.columns[i].note);
  }
  ui.line({box.x, box.bottom() - 1}, {box.right(), box.bottom() - 1}, t.line_strong);
}

// Returns whether the row is pointed at or clicked.
Ui::Hit draw_row(Ui& ui, Rect line, const RowNumbers& told, std::size_t j, bool selected) {
  const Theme& t = ui.theme();
  const NumberRow& row = told.rows[j];
  std::string value = row.masked;
  for (std::size_t i = 0; value.empty() && i < row.values.size(); ++i)
    value = number_text(row.values.back(), told.columns.back().digits);
  const auto hit = ui.hit(fmt::format("numbers/{}", j), line, false, value, selected ? "selected" : "");
  const RoleColors role = role_colors(t, told.index_role == Role::none ? Role::key : told.index_role);
  if (selected) {
    ui.fill(line, role.soft, ui.px(4));
    ui.fill({line.x, line.y, ui.px(3), line.h}, role.main);
  } else if (hit.hovered) {
    ui.fill(line, mix(t.canvas, t.text, 0.04F), ui.px(4));
  }
  const NumberColumns c = columns_in(ui, line, told);
  Rect label = c.index;
  label.take_left(ui.px(6));
  if (!told.places) {
    ui.text_in(Type::number_note, label.take_left(ui.px(30)), t.text_faint, fmt::format("{}", j), Ui::Align::right);
    label.take_left(ui.px(10));
  }
  const Color32 color = selected ? role.main : t.text;
  ui.text_in(selected ? Type::label_strong : Type::label, label, row.masked.empty() ? color : t.text_faint,
             ui.fonts().display_text(row.label));
  for (std::size_t i = 0; i < told.columns.size(); ++i) {
    const Rect cell = c.columns[i];
    if (row.masked.empty()) {
      draw_number(ui, cell, told.columns[i], row.values[i], selected);
      continue;
    }
    const float tall = std::min(ui.px(24), line.h * 0.6F);
    const Rect hatched{cell.x, cell.middle().y - tall / 2, cell.w, tall};
    ui.hatch(hatched);
    if (i > 0 || ui.line_height(Type::note) > line.h) continue;
    const float width = std::min(ui.width_of(Type::note, row.masked) + ui.px(12), hatched.w);
    const Rect words{cell.middle().x - width / 2, hatched.y, width, hatched.h};
    ui.fill(words, t.hatch_ground);
    ui.text_in(Type::note, words.inset(ui.px(4), 0), t.text_muted, row.masked, Ui::Align::center);
  }
  return hit;
}

void draw_totals(Ui& ui, Rect box, const RowNumbers& told) {
  const Theme& t = ui.theme();
  ui.line({box.x, box.y}, {box.right(), box.y}, t.line_strong);
  const bool any = !told.remark.empty() || std::ranges::any_of(told.columns, [](auto& c) { return !c.total.empty(); });
  if (!any) return;
  const NumberColumns c = columns_in(ui, row_rect(ui, box), told);
  ui.text_in(Type::label_strong, {c.index.x + ui.px(14), box.y, c.index.w, box.h}, t.text, "total");
  Rect remark = c.columns[0];  // up to where the first total stands
  for (std::size_t i = 0; i < told.columns.size(); ++i) {
    remark.w = c.columns[i].right() - remark.x;
    if (told.columns[i].total.empty()) continue;
    remark.w -= ui.width_of(Type::number, told.columns[i].total) + ui.px(12);
    break;
  }
  if (ui.width_of(Type::label, told.remark) > remark.w)
    paragraph(ui, {remark.x, box.y + ui.px(4)}, remark.w, t.text_muted, told.remark, true, Type::note);
  else
    ui.text_in(Type::label, remark, t.text_muted, told.remark);
  for (std::size_t i = 0; i < told.columns.size(); ++i) {
    if (told.columns[i].total.empty()) continue;
    const Rect r = c.columns[i];
    ui.text_in(Type::number, Rect{r.right() - ui.px(90), r.y, ui.px(90), r.h},
               told.columns[i].role == Role::weight ? t.weight.main : t.text, told.columns[i].total, Ui::Align::right);
  }
  ui.log("numbers/total", box, told.columns.back().total);
}

// The questions below the rows, in one line and a button for those that it has no room for, or all of them in lines.
struct Questions {
  std::vector<WhatIf> list;
  std::vector<std::vector<std::size_t>> lines;  // which of them stand in each
  std::string more;                             // the button at the end of the last line; empty: none
};

float width_of_question(const Ui& ui, std::string_view label) {
  return ui.width_of(Type::control, label) + ui.px(32);
}

float title_of_questions(const Ui& ui, float width) {
  return ui.px(14) + ui.px(width - ui.px(14) > ui.px(640) ? 112 : 64);
}

Questions questions_in(const Ui& ui, float width, const Model& model, bool all) {
  Questions q{what_ifs(model), {}, {}};
  if (q.list.empty()) return q;
  width -= title_of_questions(ui, width);
  const float gap = ui.px(8);
  std::vector<float> widths;
  float sum = 0;
  for (const WhatIf& what : q.list) sum += widths.emplace_back(width_of_question(ui, what.label)) + gap;
  const bool one_line = sum - gap <= width;
  if (!one_line) q.more = all ? "Fewer" : fmt::format("+{} more", q.list.size());
  const float end = one_line ? 0 : gap + width_of_question(ui, q.more);
  float used = 0;
  q.lines.emplace_back();
  for (std::size_t i = 0; i < q.list.size(); ++i) {
    const bool last = i + 1 == q.list.size();
    // The button stands behind the last one, or behind all that there is room for.
    if (used > 0 && used + widths[i] + (all && !last ? 0 : end) > width) {
      if (!all) {
        q.more = fmt::format("+{} more", q.list.size() - i);
        return q;
      }
      q.lines.emplace_back();
      used = 0;
    }
    q.lines.back().push_back(i);
    used += widths[i] + gap;
  }
  return q;
}

constexpr float question_pitch = 40;  // px of the design

float height_of(const Ui& ui, const Questions& q) {
  return ui.px(56 + question_pitch * static_cast<float>(std::max<std::size_t>(1, q.lines.size()) - 1));
}

void draw_what_if(Ui& ui, Rect box, const Questions& q, bool& all, Actions& actions) {
  if (q.list.empty()) return;
  const float title = title_of_questions(ui, box.w);
  Rect rest = box.inset(0, ui.px(12));
  ui.text_in(Type::label, {rest.x + ui.px(14), rest.y, title - ui.px(14), ui.px(32)}, ui.theme().text_muted, "What if");
  rest.take_left(title);
  for (std::size_t row = 0; row < q.lines.size(); ++row) {
    Rect line{rest.x, rest.y + ui.px(question_pitch) * static_cast<float>(row), rest.w, ui.px(32)};
    for (const std::size_t i : q.lines[row]) {
      const WhatIf& what = q.list[i];
      if (button(ui, "whatif/" + what.label, line.take_left(std::min(width_of_question(ui, what.label), line.w)),
                 what.label))
        actions.push_back(TryWhatIf{what.id});
      line.take_left(ui.px(8));
    }
    if (q.more.empty() || row + 1 < q.lines.size()) continue;
    if (button(ui, "whatif-more", line.take_left(width_of_question(ui, q.more)), q.more, ButtonLook::ghost)) all = !all;
  }
}

}  // namespace

void draw_numbers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Step& step = *model.step();
  const Look& look = model.document.look;
  const Selection selection = effective_selection(model);
  const Focus focus = effective_focus(model);
  const Slice slice = slice_of(step, focus);
  const Index row = std::clamp<Index>(selected_row(slice, selection).value_or(0), 0, slice.matrix.rows - 1);
  const RowNumbers told = row_numbers(*model.trace(), step, focus, row);
  const Axis* rows = slice.rows;
  const bool named = rows && (!rows->labels.empty() || (rows->grid && rows->grid->rows * rows->grid->frames > 1));
  const std::string name = named ? label_of(rows, row, slice.item) : "";
  draw_view_header(
      ui, box.take_top(ui.px(48)), model,
      name.empty() ? fmt::format("Row {}", row) : fmt::format("Row {} · {}", row, ui.fonts().display_text(name)),
      has_heads(step) ? fmt::format("{} · {}", counted_head(*model.trace(), step, look.head), told.what) : told.what,
      actions);
  box.take_top(ui.px(8));
  draw_headings(ui, box.take_top(ui.px(46)), told);
  const Questions asked = questions_in(ui, box.w, model, memory.get<NumbersMemory>().all_questions);
  const Rect questions = box.take_bottom(height_of(ui, asked));
  const float count = static_cast<float>(std::max<std::size_t>(1, told.rows.size()));
  const float room = box.h - ui.px(44 + 16);
  const float height = std::clamp(std::floor(room / count), ui.px(22), ui.px(44));
  Rect list = box.take_top(std::min(room, height * count) + ui.px(12)).inset(0, ui.px(6));
  const auto selected = selected_column(slice, selection);
  // A pinned key comes into view once; after that the wheel decides.
  const std::pair<Index, Index> pinned{row, look.pinned ? selected.value_or(-1) : -1};
  if (pinned.second >= 0 && pinned != memory.get<NumbersMemory>().scrolled_to)
    ui.memory().scroll["numbers"] = std::max(0.0F, height * (static_cast<float>(pinned.second) + 0.5F) - list.h / 2);
  memory.get<NumbersMemory>().scrolled_to = pinned;
  scroll_rows(ui, "numbers", list, told.rows.size(), height, [&](std::size_t j, Rect line) {
    const auto at = static_cast<Index>(j);
    const auto hit = draw_row(ui, line, told, j, selected == at);
    const Selection here = selection_at(slice, row, at, {});
    if (hit.hovered && slice.columns) memory.hover = Hover{step.info.id, look.head, here};
    if ((hit.clicked || hit.menu) && slice.columns) actions.push_back(Select{here, true});
    if (hit.menu) open_menu(ui, memory, MenuTarget::cell, actions);
    if (selected == at) set_menu_anchor(memory, MenuTarget::cell, line);
  });
  draw_totals(ui, box.take_top(ui.px(44)), told);
  draw_what_if(ui, questions, asked, memory.get<NumbersMemory>().all_questions, actions);
}

}  // namespace headlight::app
