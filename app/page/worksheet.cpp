#include "app/page/worksheet.h"

#include <algorithm>
#include <iterator>

#include "app/page/formats.h"
#include "app/page/raised_line.h"

namespace headlight {

namespace {

// Lengths in points.
constexpr double page_margin = 44;
constexpr double label_room = 62;  // left of the columns
constexpr double widest_column = 46;
constexpr double dots_room = 14;  // for "…" after the last column
constexpr double row_height = 12;
constexpr double box_height = 20;  // of a row with boxes: room for a pencil
constexpr double table_gap = 11;
constexpr double head_size = 13;
constexpr double text_size = 9;
constexpr double number_size = 8;
constexpr double small_size = 7;
constexpr double box_number_size = 6;
constexpr double task_pitch = 12;
constexpr double answer_pitch = 10.5;
constexpr double column_gap = 14;
constexpr double smallest_size = 5;
constexpr double smallest_answer = 5.5;  // in two columns
constexpr double rule_width = 0.5;
constexpr double name_width = 150;
constexpr double date_width = 80;

constexpr Color ink = rgb(0x17181C);
constexpr Color gray = rgb(0x4E535D);
constexpr Color rule_color = rgb(0xB4B8C0);

// What is placed so far: the last page is the one being filled, down to `y`.
struct Sheet {
  const FontSet& fonts;
  PaperSize paper;
  SheetSide side;
  std::vector<Page> pages;
  double y = 0;

  Page& page() { return pages.back(); }
  double right() const { return paper.width - page_margin; }
};

void start_page(Sheet& sheet) {
  Page page;
  page.width = sheet.paper.width;
  page.height = sheet.paper.height;
  sheet.pages.push_back(std::move(page));
  sheet.y = page_margin;
}

void need_room(Sheet& sheet, double height) {
  if (sheet.y + height > sheet.paper.height - page_margin) start_page(sheet);
}

// Smaller where it would be wider than `limit`, and cut where the smallest is still too wide.
TextLine fitted(const Sheet& sheet, double limit, Face face, double size, const std::string& text) {
  const double width = sheet.fonts.width_up_to(limit, face, size, text);
  constexpr double rounding = 0.999;  // so that what just fits is not cut
  if (width > limit) size = std::max(smallest_size, rounding * size * limit / width);
  return sheet.fonts.set_within(limit, face, size, text);
}

void put(Sheet& sheet, TextLine line, Point at, Color color, Align align = Align::left) {
  if (align != Align::left) at.x -= line.width * (align == Align::middle ? 0.5 : 1.0);
  sheet.page().texts.push_back({at, std::move(line), color, false, align, {}});
}

void add_formula(Sheet& sheet, double limit, double size, const std::string& formula, Point at, Color color) {
  RaisedLine line = set_raised(sheet.fonts, limit, Face::regular, size, smallest_size, formula);
  for (RaisedPart& part : line.parts) put(sheet, std::move(part.line), {at.x + part.x, at.y + part.y}, color);
}

void rule(Sheet& sheet, Point from, Point to, Color color) {
  sheet.page().lines.push_back({from, to, rule_width, color});
}

// ---- the head of the sheet

void place_field(Sheet& sheet, const std::string& name, double x, double width) {
  TextLine line = sheet.fonts.set(Face::regular, text_size, name);
  const double start = x + line.width + 4;
  put(sheet, std::move(line), {x, sheet.y}, ink);
  rule(sheet, {start, sheet.y + 2}, {x + width, sheet.y + 2}, ink);
}

void place_head(Sheet& sheet, const Worksheet& words) {
  const double width = sheet.right() - page_margin;
  sheet.y += head_size;
  TextLine number = sheet.fonts.set(Face::semibold, head_size, words.number);
  const double room = words.number.empty() ? width : width - number.width - column_gap;
  put(sheet, fitted(sheet, room, Face::semibold, head_size, words.title), {page_margin, sheet.y}, ink);
  if (!words.number.empty()) put(sheet, std::move(number), {sheet.right(), sheet.y}, ink, Align::right);
  sheet.y += 15;
  put(sheet, sheet.fonts.set_within(width, Face::regular, text_size, words.subject), {page_margin, sheet.y}, gray);
  sheet.y += 21;
  if (sheet.side == SheetSide::key) {
    put(sheet, sheet.fonts.set(Face::semibold, text_size, "Answers"), {page_margin, sheet.y}, ink);
  } else {
    place_field(sheet, "Name:", page_margin, name_width + 40);
    place_field(sheet, "Date:", page_margin + name_width + 60, date_width + 40);
  }
  sheet.y += 18;
}

// ---- tables

bool has_box(const SheetRow& row) {
  return std::ranges::any_of(row.cells, [](const SheetCell& cell) { return cell.blank > 0; });
}

double height_of(const SheetRow& row) {
  return has_box(row) ? box_height : row_height;
}

double height_of(const SheetTable& table) {
  double height = text_size + row_height + (table.note.empty() ? 0 : row_height) + table_gap;
  for (const SheetRow& row : table.rows) height += height_of(row);
  return height;
}

double room_in_box(double pitch) {
  return pitch - 6;
}

void place_box(Sheet& sheet, const SheetCell& cell, const Box& box, double size) {
  const Point corners[]{
      {box.x, box.y}, {box.x + box.width, box.y}, {box.x + box.width, box.y + box.height}, {box.x, box.y + box.height}};
  for (std::size_t i = 0; i < 4; ++i) rule(sheet, corners[i], corners[(i + 1) % 4], ink);
  put(sheet, sheet.fonts.set(Face::regular, box_number_size, fmt::format("{}:", cell.blank)),
      {box.x + 1.5, box.y + box_number_size}, ink);
  if (sheet.side == SheetSide::questions) return;
  put(sheet, fitted(sheet, box.width - 3, Face::semibold, size, cell.text),
      {box.x + box.width / 2, box.y + box.height - 3.5}, ink, Align::middle);
}

// All numbers of a table are of one size, the key's in their boxes too, so that none looks more than another. Sheet and
// key have the same.
double size_of_numbers(const Sheet& sheet, const SheetTable& table, double pitch) {
  double size = number_size;
  for (const SheetRow& row : table.rows)
    for (const SheetCell& cell : row.cells) {
      const bool boxed = cell.blank > 0;
      const TextLine line = fitted(sheet, boxed ? room_in_box(pitch) : pitch - 5,
                                   boxed ? Face::semibold : Face::regular, number_size, cell.text);
      size = std::min(size, line.size);
    }
  return size;
}

void place_row(Sheet& sheet, const SheetRow& row, double pitch, double size, bool cut) {
  const double height = height_of(row);
  const double baseline = sheet.y + height / 2 + middle_above_baseline * number_size;
  put(sheet, fitted(sheet, label_room - 6, Face::regular, small_size, row.label), {page_margin, baseline}, gray);
  double x = page_margin + label_room;
  for (const SheetCell& cell : row.cells) {
    if (cell.blank > 0)
      place_box(sheet, cell, {x + 1.5, sheet.y + 2, pitch - 3, height - 3}, size);
    else if (cell.copied > 0 && sheet.side == SheetSide::questions)
      put(sheet, sheet.fonts.set(Face::regular, small_size, fmt::format("({})", cell.copied)),
          {x + pitch / 2, baseline}, gray, Align::middle);
    else
      put(sheet, fitted(sheet, pitch - 5, Face::regular, size, cell.text), {x + pitch / 2, baseline}, ink,
          Align::middle);
    x += pitch;
  }
  if (cut) put(sheet, sheet.fonts.set(Face::regular, number_size, "…"), {x + 4, baseline}, gray);
  sheet.y += height;
}

void place_table(Sheet& sheet, const SheetTable& table) {
  need_room(sheet, height_of(table));
  const double width = sheet.right() - page_margin;
  const auto columns = static_cast<double>(table.column_labels.size());
  const double pitch = std::min(widest_column, (width - label_room - (table.cut ? dots_room : 0)) / columns);
  sheet.y += text_size;
  TextLine title = sheet.fonts.set_within(width / 2, Face::semibold, text_size, table.title);
  const double beside = title.width + 12;
  put(sheet, std::move(title), {page_margin, sheet.y}, ink);
  add_formula(sheet, width - beside, number_size, table.formula, {page_margin + beside, sheet.y}, gray);
  if (!table.note.empty()) {
    sheet.y += row_height;
    put(sheet, fitted(sheet, width, Face::regular, small_size, table.note), {page_margin, sheet.y}, gray);
  }
  sheet.y += row_height;
  const double baseline = sheet.y - 2.5;
  put(sheet, fitted(sheet, label_room - 6, Face::regular, small_size, table.corner), {page_margin, baseline}, gray);
  for (std::size_t i = 0; i < table.column_labels.size(); ++i)
    put(sheet, fitted(sheet, pitch - 3, Face::semibold, small_size, table.column_labels[i]),
        {page_margin + label_room + (static_cast<double>(i) + 0.5) * pitch, baseline}, gray, Align::middle);
  const double end = page_margin + label_room + columns * pitch + (table.cut ? dots_room : 0);
  rule(sheet, {page_margin, sheet.y}, {end, sheet.y}, rule_color);
  const double size = size_of_numbers(sheet, table, pitch);
  for (const SheetRow& row : table.rows) place_row(sheet, row, pitch, size, table.cut);
  sheet.y += table_gap;
}

// ---- below the tables

void place_lines(Sheet& sheet, const std::vector<std::string>& lines, double size, double pitch) {
  for (const std::string& line : lines) {
    need_room(sheet, pitch);
    sheet.y += pitch;
    put(sheet, fitted(sheet, sheet.right() - page_margin, Face::regular, size, line), {page_margin, sheet.y - 3}, ink);
  }
}

// Together: on this page, if need be in two columns where they stay readable, else on the next.
void place_answers(Sheet& sheet, const std::vector<std::string>& answers) {
  const double room = sheet.paper.height - page_margin - sheet.y;
  const auto height = [](std::size_t rows) { return answer_pitch * static_cast<double>(rows); };
  const double column = (sheet.right() - page_margin - column_gap) / 2;
  double widest = 0;
  for (const std::string& answer : answers)
    widest = std::max(widest, sheet.fonts.set(Face::regular, number_size, answer).width);
  const double size = std::min(number_size, number_size * column / std::max(widest, 1.0));
  const std::size_t rows = (answers.size() + 1) / 2;
  if (height(answers.size()) > room && height(rows) <= room && size >= smallest_answer) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      put(sheet, fitted(sheet, column, Face::regular, size, answers[i]),
          {page_margin + (i < rows ? 0 : column + column_gap), sheet.y + height(i % rows + 1) - 3}, ink);
    sheet.y += height(rows);
    return;
  }
  if (height(answers.size()) <= sheet.paper.height - 2 * page_margin) need_room(sheet, height(answers.size()));
  place_lines(sheet, answers, number_size, answer_pitch);
}

// "1 of 2", "Sheet 3, 1 of 2".
void number_pages(Sheet& sheet, const std::string& number) {
  for (std::size_t i = 0; sheet.pages.size() > 1 && i < sheet.pages.size(); ++i) {
    TextLine line =
        sheet.fonts.set(Face::regular, small_size,
                        fmt::format("{}{}{} of {}", number, number.empty() ? "" : ", ", i + 1, sheet.pages.size()));
    const Point at{sheet.right() - line.width, sheet.paper.height - page_margin / 2};
    sheet.pages[i].texts.push_back({at, std::move(line), gray, false, Align::right, {}});
  }
}

Status check(const Worksheet& sheet) {
  for (const SheetTable& table : sheet.tables) {
    const std::size_t columns = table.column_labels.size();
    if (columns == 0 || columns > most_sheet_columns || table.rows.empty() || table.rows.size() > most_sheet_rows)
      return fail("worksheet: {} has {} × {} numbers: a table has 1 to {} rows and 1 to {} columns", table.title,
                  table.rows.size(), columns, most_sheet_rows, most_sheet_columns);
    for (const SheetRow& row : table.rows)
      if (row.cells.size() != columns)
        return fail("worksheet: {} has a row of {} numbers under {} labels: give each column one", table.title,
                    row.cells.size(), columns);
  }
  return {};
}

}  // namespace

Result<std::vector<Page>> lay_out(const Worksheet& words, PaperSize paper, SheetSide side, const FontSet& fonts) {
  HL_CHECK(check(words));
  Sheet sheet{fonts, paper, side, {}, 0};
  start_page(sheet);
  place_head(sheet, words);
  for (const SheetTable& table : words.tables) place_table(sheet, table);
  if (side == SheetSide::questions)
    place_lines(sheet, words.task, text_size, task_pitch);
  else
    place_answers(sheet, words.answers);
  number_pages(sheet, words.number);
  return std::move(sheet.pages);
}

std::vector<Page> lay_out_answers(std::span<const Worksheet> sheets, PaperSize paper, const FontSet& fonts) {
  Sheet all{fonts, paper, SheetSide::key, {}, 0};
  start_page(all);
  all.y += head_size;
  const double width = all.right() - page_margin;
  if (!sheets.empty())
    put(all, fitted(all, width, Face::semibold, head_size, sheets.front().title), {page_margin, all.y}, ink);
  for (const Worksheet& sheet : sheets) {
    constexpr double heading = 24;
    const double height = heading + answer_pitch * static_cast<double>(sheet.answers.size());
    if (height <= paper.height - 2 * page_margin) need_room(all, height);
    all.y += heading;
    TextLine number = fonts.set(Face::semibold, text_size,
                                fmt::format("Answers{}{}", sheet.number.empty() ? "" : ", ", sheet.number));
    const double beside = page_margin + number.width + column_gap;
    put(all, std::move(number), {page_margin, all.y - 5}, ink);
    put(all, fonts.set_within(all.right() - beside, Face::regular, number_size, sheet.subject), {beside, all.y - 5},
        gray);
    place_lines(all, sheet.answers, number_size, answer_pitch);
  }
  number_pages(all, "Answers");
  return std::move(all.pages);
}

Result<std::string> worksheets_pdf(std::span<const Worksheet> sheets, PaperSize paper, std::span<const SheetSide> sides,
                                   const FontFiles& fonts, std::optional<std::int64_t> time) {
  HL_TRY(const FontSet font_set, FontSet::load(fonts));
  std::vector<Page> pages;
  const auto add = [&](std::vector<Page> more) {
    pages.insert(pages.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const SheetSide side : sides) {
    if (side == SheetSide::key && sheets.size() > 1) {
      add(lay_out_answers(sheets, paper, font_set));
      continue;
    }
    for (const Worksheet& sheet : sheets) {
      HL_TRY(auto laid, lay_out(sheet, paper, side, font_set));
      add(std::move(laid));
    }
  }
  const bool key_alone = std::ranges::all_of(sides, [](SheetSide side) { return side == SheetSide::key; });
  Figure notes;
  notes.title = sheets.front().title + (key_alone ? " (key)" : "");
  notes.time = time;
  return pdf_of(pages, font_set, notes);
}

}  // namespace headlight
