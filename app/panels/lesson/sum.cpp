// Where the pinned number comes from: its products, and what was done with their sum.
#include <algorithm>
#include <cmath>

#include "app/panels/inspector/parts.h"
#include "app/panels/lesson/parts.h"
#include "app/reading/cell_trace.h"
#include "app/reading/edits_offered.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_products = 6;

std::string number_of(double number) {
  return printed_value(number_value(number)).value_or("");
}

// "place", the factors, and their product, a line each.
void draw_products(Form& form, const OperandTable& table) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const std::size_t columns = table.headings.size();
  const float width = std::min(ui.px(110), (form.column.w - ui.px(60)) / static_cast<float>(columns + 1));
  Rect head = form.line(28);
  ui.text_in(Type::label, head.take_left(ui.px(60)), t.text_muted,
             table.index_heading == "c" ? "place" : table.index_heading);
  for (std::size_t i = 0; i < columns; ++i)
    ui.text_in(Type::label_strong, head.take_left(width), role_colors(t, table.roles[i]).main, table.headings[i],
               Ui::Align::right);
  double largest = 1e-12;
  for (const auto& row : table.rows) largest = std::max(largest, std::abs(row.product));
  const ShownRows shown = shown_rows(table);
  for (std::size_t r = 0; r < std::min(most_products, shown.order.size()); ++r) {
    const OperandRow& row = table.rows[shown.order[r]];
    Rect line = form.line(30);
    if (r % 2 == 0) ui.fill(line, t.sunken, ui.px(4));
    ui.text_in(Type::body, line.take_left(ui.px(60)).inset(ui.px(8), 0), t.text, ui.fonts().display_text(row.index));
    for (const double factor : row.factors)
      ui.text_in(Type::number, line.take_left(width), t.text, number_of(factor), Ui::Align::right);
    ui.text_in(Type::number, line.take_left(width), t.text, row.masked.empty() ? number_of(row.product) : row.masked,
               Ui::Align::right);
    if (line.w > ui.px(40)) draw_signed_bar(ui, line.take_left(std::min(line.w, ui.px(110))), row.product / largest, 4);
    ui.log(fmt::format("lesson/product/{}", r), line, number_of(row.product));
  }
  if (shown.order.size() > most_products)
    form.words(t.text_faint, fmt::format("and {} more", shown.order.size() - most_products), Type::note, 4);
}

}  // namespace

void draw_lesson_sum(Ui& ui, Rect& box, const Model& model) {
  const Step* step = model.step();
  const auto cell = step ? cell_looked_at(*step, focus_of(model.document.look)) : std::nullopt;
  if (!step || !cell) return;
  const Theme& t = ui.theme();
  CellTrace story = trace_cell(*model.trace(), *step, *cell);
  if (story.table && !story.lines.empty() && story.lines[0].label == "sum") story.lines.erase(story.lines.begin());
  const std::size_t products = story.table ? std::min(most_products, story.table->rows.size()) : 0;
  const float height = ui.px(110 + 30 * static_cast<float>(products + std::min<std::size_t>(story.lines.size(), 4)));
  const Rect room = box.take_bottom(std::min(height, box.h * 0.5F));
  ui.line({room.x, room.y}, {room.right(), room.y}, t.line);
  Rect column = room.inset(ui.px(28), 0);
  ui.text(Type::title, {column.x, column.y + ui.px(22)}, t.text, "How");
  column.take_left(ui.px(110));
  column.w = std::min(column.w, ui.px(620));
  Form form{ui, column, column.y + ui.px(18)};
  if (story.table) draw_products(form, *story.table);
  for (std::size_t i = 0; i < std::min<std::size_t>(story.lines.size(), 4); ++i) {
    const TraceLine& line = story.lines[i];
    Rect row = form.line(28);
    ui.text_in(Type::label, row.take_left(ui.px(110)), t.text_muted, line.label);
    ui.text_in(Type::number, row.take_right(ui.px(90)), t.text, line.value, Ui::Align::right);
    ui.text_in(Type::number, row, t.text_muted, line.expression);
  }
  form.y += ui.px(6);
  const RoleColors& role = role_colors(t, story.result_role == Role::none ? Role::output : story.result_role);
  Rect result = form.line(40);
  ui.fill(result, role.soft, ui.px(6));
  result = result.inset(ui.px(12), 0);
  ui.text_in(Type::result, result.take_right(ui.px(140)), role.main, number_of(story.value), Ui::Align::right);
  ui.text_in(Type::lesson_text, result, t.text, story.result_label);
  ui.log("lesson/result", result, number_of(story.value));
}

}  // namespace headlight::app
