#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

#include "app/actions/action_table.h"
#include "app/panels/common/prepared.h"
#include "app/panels/common/term_card.h"
#include "app/panels/inspector/parts.h"
#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "app/reading/row_numbers.h"
#include "app/reading/step_words.h"
#include "app/widgets/formula_view.h"

namespace headlight::app {

namespace {

void draw_formula(Form& form, Rect full, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Step& step = *model.step();
  Rect title = form.line(18);
  const Stage* stage = model.trace()->stage_of(step.info.id);
  std::string where =
      model.stage() >= 0 ? fmt::format("Step {} · {}", model.stage() + 1, stage->title) : step.info.title;
  if (model.shows_older()) where = capitalized(older_words);
  ui.text_in(Type::note, title.take_right(title.w * 0.7F),
             model.shows_older() ? ui.theme().warning : ui.theme().text_faint, where, Ui::Align::right);
  ui.text_in(Type::heading, title, ui.theme().text_muted, step.info.formula.empty() ? step.info.title : "Formula");
  form.y += ui.px(8);
  if (!step.info.formula.empty()) {
    constexpr float em = 20;
    const FormulaSize size = formula_size(ui, step.info.formula, em, form.column.w - ui.px(8));
    const Rect box{form.column.x, form.y, form.column.w, size.height + ui.px(12)};
    form.y += box.h + ui.px(6);
    const auto role = [&](const std::string& id) { return role_of(*model.trace(), id); };
    const std::string under = formula_view(ui, "formula", box, step.info.formula, em, role, model.lit);
    if (under != model.lit) actions.push_back(Light{under});
  }
  draw_divider(form, full);
}

// Not checked for more than 128 rows or columns: that would take too long.
bool shows_flat_map(const Model& model, const Step& step) {
  constexpr Index most = 128;
  Focus focus = effective_focus(model);
  focus.head = model.document.look.head;
  std::shared_ptr<const Tensor> owner;
  const Slice slice = slice_of(step, focus);
  if (slice.is_picture() || slice.matrix.rows > most || slice.matrix.columns > most) return false;
  return is_flat_map(cells_of(*model.trace(), step, focus, owner));
}

void draw_explanation(Form& form, Rect full, const Model& model, PanelMemory& memory, Actions& actions) {
  if (model.settings.expert) return;
  Ui& ui = form.ui;
  const Step& step = *model.step();
  Terms terms = glossary_terms("terms", model);
  const auto say = [&](const std::string& words, float gap) {
    form.y += paragraph(ui, {form.column.x, form.y}, form.column.w, ui.theme().text, words, true, Type::body, &terms) +
              ui.px(gap);
  };
  const std::string head = head_sentence(*model.trace(), step, model.document.look.head);
  say(step.info.note, head.empty() ? 14 : 8);
  if (!head.empty()) say(head, 14);
  if (!terms.pressed.empty()) actions.push_back(ShowTerm{terms.pressed == model.term ? "" : terms.pressed});
  draw_term_card(form, model, memory, TermCard::with_picture, actions);
  draw_divider(form, full);
}

// Says so if the head finds nothing in this row, or in the whole map.
std::string row_sentence(const Model& model) {
  const Step& step = *model.step();
  if (model.settings.expert || head_sentence(*model.trace(), step, model.document.look.head).empty()) return {};
  const std::string words = why_head_finds_nothing(*model.trace(), step, effective_focus(model));
  if (!words.empty() || !shows_flat_map(model, step)) return words;
  return "Here every row looks at everything nearly alike.";
}

// What a row of the table prints, a text a heading: a bias has fewer factors, and its product stands in the last.
std::vector<std::string> texts_of(const OperandTable& table, const OperandRow& row) {
  std::vector<double> numbers = row.factors;
  numbers.push_back(row.product);
  if (row.second) numbers.push_back(*row.second);
  std::vector<std::string> texts(table.headings.size());
  if (numbers.size() == texts.size())
    std::ranges::transform(numbers, texts.begin(), [](double value) { return number_text(value); });
  else
    texts.back() = number_text(row.product);
  return texts;
}

// How wide each part of the table is: numbers are never cut, so bars give way first and then the size of the type.
struct TableWidths {
  Type type = Type::number_note;
  float first = 0, bars = 0;
  std::vector<float> each;  // of the columns
};

TableWidths widths_of(const Ui& ui, const OperandTable& table, const ShownRows& shown, float room) {
  TableWidths widths;
  const std::size_t columns = table.headings.size();
  const auto left = [&] { return room - widths.first - std::reduce(widths.each.begin(), widths.each.end()); };
  for (const Type type : {Type::number_note, Type::number_small}) {
    widths = {type, ui.px(24), 0, std::vector<float>(columns)};
    for (std::size_t i = 0; i + 1 < columns; ++i)  // the last says "product" where it has to
      widths.each[i] = ui.width_of(Type::heading, table.headings[i]) + ui.px(6);
    for (const std::size_t r : shown.order) {
      widths.first = std::max(widths.first, ui.width_of(type, ui.fonts().display_text(table.rows[r].index)) + ui.px(8));
      const auto texts = texts_of(table, table.rows[r]);
      for (std::size_t i = 0; i < columns; ++i)
        widths.each[i] = std::max(widths.each[i], ui.width_of(type, texts[i]) + ui.px(8));
    }
    if (left() >= 0) break;
  }
  if (left() < 0) widths.first = std::max(ui.px(24), widths.first + left());
  const auto share = [&] { return std::max(0.0F, left() - widths.bars) / static_cast<float>(columns); };
  const float more = share();
  for (float& width : widths.each) width += std::min(std::max(ui.px(64) - width, ui.px(8)), more);
  widths.bars = std::clamp(left(), 0.0F, ui.px(100));
  const float rest = share();
  for (float& width : widths.each) width += rest;
  return widths;
}

void draw_table_headings(Ui& ui, Rect line, const OperandTable& table, const TableWidths& widths) {
  ui.text_in(Type::note, line.take_left(widths.first), ui.theme().text_faint, table.index_heading);
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    const Rect cell = line.take_left(widths.each[i]);
    const bool of_product = table.headings[i].find("·") != std::string::npos;
    std::string words = table.headings[i];
    if (of_product && ui.width_of(Type::heading, words) > cell.w) words = "product";
    ui.text_in(Type::heading, cell.inset(ui.px(2), 0), role_colors(ui.theme(), table.roles[i]).main, words,
               Ui::Align::right);
  }
}

void draw_table_row(Ui& ui, Rect line, const OperandTable& table, const OperandRow& row, const TableWidths& widths,
                    double largest) {
  const Theme& t = ui.theme();
  ui.text_in(widths.type, line.take_left(widths.first), t.text_faint, ui.fonts().display_text(row.index));
  if (!row.masked.empty()) {
    std::string words = row.masked.starts_with("masked") ? row.masked : "masked: " + row.masked;
    if (ui.width_of(Type::note, words) > line.w) words.resize(std::min(words.size(), words.find(": ")));
    ui.text_in(Type::note, line, t.text_faint, words);
    return;
  }
  const auto texts = texts_of(table, row);
  for (std::size_t i = 0; i < texts.size(); ++i)
    ui.text_in(widths.type, line.take_left(widths.each[i]).inset(ui.px(2), 0), t.text, texts[i], Ui::Align::right);
  if (widths.bars < ui.px(24) || row.second) return;  // no room, or two sums
  draw_signed_bar(ui, line, std::isfinite(row.product) ? row.product / largest : 0, 4);
}

// "and 20 more, together −0.004; 31 products are 0; 3 keys are masked"
std::string omitted_rows(const OperandTable& table, const ShownRows& shown, std::size_t drawn) {
  std::vector<std::string> parts;
  if (drawn < shown.order.size()) {
    double rest = 0;
    for (std::size_t i = drawn; i < shown.order.size(); ++i) rest += table.rows[shown.order[i]].product;
    parts.push_back(fmt::format("{} smaller, together {}", shown.order.size() - drawn, number_text(rest)));
  }
  if (shown.zero > 0)
    parts.push_back(fmt::format("{} {} 0", shown.zero, shown.zero == 1 ? "product is" : "products are"));
  if (shown.masked > 0)
    parts.push_back(fmt::format("{} {} masked", shown.masked, shown.masked == 1 ? "key is" : "keys are"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void draw_table(Form& form, const OperandTable& table) {
  Ui& ui = form.ui;
  constexpr std::size_t most = 24;  // rows drawn; the rest is added up in one line
  const ShownRows shown = shown_rows(table);
  const TableWidths widths = widths_of(ui, table, shown, form.column.w);
  draw_table_headings(ui, form.line(22), table, widths);
  double largest = 1e-12;
  for (const auto& row : table.rows)
    if (std::isfinite(row.product)) largest = std::max(largest, std::abs(row.product));
  const std::size_t drawn = std::min(most, shown.order.size());
  for (std::size_t r = 0; r < drawn; ++r) {
    const OperandRow& row = table.rows[shown.order[r]];
    const Rect line = form.line(20);
    if (r % 2 == 0) ui.fill(line.inset(-ui.px(6), 0), ui.theme().sunken);
    draw_table_row(ui, line, table, row, widths, largest);
    ui.log(fmt::format("trace/row/{}", r), line, row.masked.empty() ? number_text(row.product) : "masked");
  }
  if (const std::string rest = omitted_rows(table, shown, drawn); !rest.empty()) {
    const Rect line = form.line(20);
    ui.text_in(Type::note, line, ui.theme().text_faint, rest);
    ui.log("trace/rest", line, rest);
  }
  form.y += ui.px(10);
}

void draw_lines(Form& form, const CellTrace& story, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  for (std::size_t i = 0; i < story.lines.size(); ++i) {
    const TraceLine& line = story.lines[i];
    Rect row = form.line(26);
    const auto hit = ui.hit(fmt::format("trace/{}", i), row, false, line.value);
    if (hit.hovered) ui.fill(row.inset(-ui.px(6), 0), t.sunken, ui.px(4));
    if (hit.clicked && !line.step.empty()) actions.push_back(ShowStep{line.step});
    const float label = std::max(ui.px(96), ui.width_of(Type::label, line.label) + ui.px(8));
    ui.text_in(Type::label, row.take_left(std::min(label, row.w / 2)), t.text_muted, line.label);
    ui.text_in(Type::number, row.take_right(std::min(ui.width_of(Type::number, line.value), row.w * 0.6F)),
               line.role == Role::score ? t.score.main : t.text, line.value, Ui::Align::right);
    row.take_right(ui.px(6));
    if (ui.width_of(Type::number_note, line.expression) <= row.w) {
      ui.text_in(Type::number_note, row, t.text_muted, line.expression);
    } else {  // a rule in words: as many lines as it takes
      const Point at{row.x, row.y + ui.px(5)};
      form.y += paragraph(ui, at, row.w - ui.px(2), t.text_muted, line.expression, true, Type::note) - ui.px(14);
    }
  }
  form.y += ui.px(6);
}

void draw_result(Form& form, const CellTrace& story) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const RoleColors role = role_colors(t, story.result_role);
  const bool plain = story.result_role == Role::none;
  const float width = ui.width_of(Type::result, story.result);
  // Its name stands above where there is no room beside.
  const bool above = ui.width_of(Type::body, story.result_label) + width + ui.px(plain ? 16 : 42) > form.column.w;
  const Rect box = form.line(above ? 62 : 40).inset(-ui.px(6), 0);
  ui.fill(box, plain ? t.sunken : role.soft, ui.px(6));
  Rect inside = box.inset(ui.px(12), 0);
  ui.log("trace/result", box, story.result);
  Rect name = above ? inside.take_top(ui.px(30)) : inside;
  if (!plain) badge(ui, {name.take_left(ui.px(26)).x, name.middle().y - ui.px(badge_size) / 2}, story.result_role);
  ui.text_in(Type::result, inside.take_right(width), plain ? t.text : role.main, story.result, Ui::Align::right);
  if (!above) name.take_right(width);
  ui.text_in(Type::body, name, t.text, story.result_label);
  form.y += ui.px(2);
  Rect check = form.line(26);
  const Color32 color = story.check_ok ? t.ok : t.error;
  draw_icon(ui, story.check_ok ? Icon::check : Icon::warning,
            {check.take_left(ui.px(22)).x + ui.px(8), check.middle().y}, color);
  const float key = ui.px(62);
  if (ui.width_of(Type::note, story.check) + key <= check.w) {  // the check goes before the hint
    const Rect keys = check.take_right(key).inset(ui.px(2), ui.px(3));
    ui.frame(keys, t.line_strong, ui.px(4));
    ui.text_in(Type::number_small, keys, t.text_muted, chord_of("copy-trace"), Ui::Align::center);
  }
  if (ui.width_of(Type::note, story.check) + ui.px(72) <= check.w)
    ui.text_in(Type::note, check.take_right(ui.px(70)), t.text_faint, "copy trace", Ui::Align::right);
  ui.text_in(Type::note, check, color, story.check);
  form.y += ui.px(6);
}

void draw_story(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  Ui& ui = form.ui;
  const Step& step = *model.step();
  const Selection selection = effective_selection(model);
  const Slice slice = slice_of(step, effective_focus(model));
  const auto row = slice.rows ? selected_row(slice, selection) : std::optional<Index>(0);
  const auto along = selected_column(slice, selection);
  Rect title = form.line(20);
  const Rect hint = title.take_right(title.w * 0.6F);
  std::string_view words = shows_busy(model) ? "" : "Esc releases";  // in a run, Esc cancels it first
  if (!shows_pinned(model)) words = row && along ? "click a cell to pin" : "nothing kept";
  ui.text_in(Type::note, hint, ui.theme().text_faint, words, Ui::Align::right);
  ui.log("trace/hint", hint, std::string(words));
  ui.text_in(Type::heading, title, ui.theme().text_muted, row && along ? "Cell trace" : "Cell");
  form.y += ui.px(6);
  const std::string sentence = row_sentence(model);
  if (!row || !along) {
    if (!sentence.empty()) form.log_words("inspector/silence", ui.theme().text, sentence, Type::body, 8);
    form.words(ui.theme().text_muted,
               "Point at a cell of the map: its number and where it comes from stand here. Click to keep it while you "
               "step on.",
               Type::body);
    return;
  }
  if (const auto second = second_cell(model)) return draw_two_cells(form, model, memory, *second);
  const CellTrace& story = memory.get<Prepared>().cell_trace(model, step, slice.cell_at(*row, *along));
  draw_position(form, model, step, slice.cell_at(*row, *along));
  draw_result(form, story);
  if (!sentence.empty()) form.log_words("inspector/silence", ui.theme().text, sentence, Type::body, 8);
  // Where the picture of the mechanism is looked at, pairs of channels stand for the channels.
  const auto pairs = model.document.look.mode == ViewMode::mechanism && model.shown.problem
                         ? pair_table(*model.shown.problem, *model.trace(), story)
                         : std::nullopt;
  if (pairs)
    draw_pairs(form, *pairs);
  else if (story.table)
    draw_table(form, *story.table);
  draw_lines(form, story, actions);
}

// How many keys the pinned row is spread over, on a picture, in frames or along a signal.
void draw_response_width(Form& form, Rect full, const Model& model) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Step& step = *model.step();
  const Axis* keys = step.axis(AxisRole::key);
  if (!keys || !keys->grid) return;
  const Slice slice = slice_of(step, effective_focus(model));
  const auto row = slice.rows ? selected_row(slice, effective_selection(model)) : std::optional<Index>(0);
  const auto along = selected_column(slice, effective_selection(model));
  if (!row || !along) return;
  const auto width = response_width(*model.trace(), step, slice.cell_at(*row, *along));
  if (!width) return;
  form.y += ui.px(8);
  draw_divider(form, full);
  ui.text_in(Type::heading, form.line(24), t.text_muted, "How wide the response is");
  const auto say = [&](const char* id, const char* label, double value, const std::string& text) {
    Rect line = form.line(24);
    ui.log(fmt::format("width/{}", id), line, text);
    ui.text_in(Type::label, line.take_left(ui.px(120)), t.text_muted, label);
    ui.text_in(Type::number, line.take_right(ui.px(64)), t.text, text, Ui::Align::right);
    Rect bar = line.inset(0, ui.px(7));
    ui.fill(bar, t.weight.soft, ui.px(2));
    bar.w =
        std::max(ui.px(1), bar.w * static_cast<float>(value / static_cast<double>(std::max<Index>(1, width->keys))));
    ui.fill(bar, t.weight.main, ui.px(2));
  };
  say("half", "keys for 50 %", static_cast<double>(width->half), fmt::format("{}", width->half));
  say("most", "keys for 90 %", static_cast<double>(width->most), fmt::format("{}", width->most));
  say("effective", "effective, exp(H)", width->effective, fmt::format("{:.4g}", width->effective));
  say("all", "all keys", static_cast<double>(width->keys), fmt::format("{}", width->keys));
}

}  // namespace

void draw_signed_bar(Ui& ui, Rect line, double share, float margin) {
  const float zero = std::round(line.middle().x);
  const float length = static_cast<float>(share) * (line.w / 2 - ui.px(2));
  ui.line({zero, line.y}, {zero, line.bottom()}, ui.theme().line_strong);
  ui.fill({length < 0 ? zero + length : zero + 1, line.y + ui.px(margin), std::abs(length), line.h - ui.px(2 * margin)},
          length < 0 ? ui.theme().bar_negative : ui.theme().bar_positive);
}

float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!model.step()) return 0;
  Form form{ui, box.inset(ui.px(18), 0), box.y + ui.px(14)};
  draw_formula(form, box, model, actions);
  draw_explanation(form, box, model, memory, actions);
  draw_made_of(form, box, model, memory);
  memory.get<InspectorMemory>().story_at = form.y - box.y;
  draw_story(form, model, memory, actions);
  draw_response_width(form, box, model);
  form.y += ui.px(8);
  draw_divider(form, box);
  form.y += draw_by_hand(ui, {form.column.x, form.y, form.column.w, 0}, model, actions);
  form.y += draw_code(ui, {box.x, form.y, box.w, 0}, model, actions);
  form.y += draw_equivariance(ui, {box.x, form.y, box.w, 0}, model, actions);
  draw_divider(form, box);
  form.y += draw_costs(ui, {form.column.x, form.y, form.column.w, 0}, model, memory);
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
