// A sheet of exercises for print: small tables of numbers, some of them left out as numbered boxes, and its key.
//
// Not for choosing or explaining numbers: whoever has a trace fills this in (app/worksheets/worksheet_of.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/page/layout.h"
#include "app/text/font_set.h"

namespace headlight {

struct SheetCell {
  std::string text;  // "0.350"
  int blank = 0;     // the number of its box; 0: it stands on the sheet
  int copied = 0;    // the number of the box that it would tell: "(4)" stands for it among the questions
};

struct SheetRow {
  std::string label;
  std::vector<SheetCell> cells;
};

struct SheetTable {
  std::string title;    // "Scaled scores"
  std::string formula;  // in plain text, with "_" and "^" as set_raised() has them; may be empty
  std::string note;     // "12 of 40 columns"; may be empty
  std::string corner;   // what the columns are: "key"
  std::vector<std::string> column_labels;
  bool cut = false;  // there are more columns: "…" stands after the last
  std::vector<SheetRow> rows;
};

struct Worksheet {
  std::string title;
  std::string number;   // "Sheet 3"; empty: it is the only one
  std::string subject;  // which head and query, below the title
  std::vector<SheetTable> tables;
  std::vector<std::string> task;     // what is asked, one line each, below the tables
  std::vector<std::string> answers;  // on the key alone: how each box comes about, in the order of their numbers
};

// In points.
struct PaperSize {
  double width = 0, height = 0;
};
inline constexpr PaperSize a4_paper{210 * points_per_mm, 297 * points_per_mm};
inline constexpr PaperSize letter_paper{8.5 * points_per_inch, 11 * points_per_inch};

enum class SheetSide { questions, key };

// The most columns that a table has room for, and the most rows that a page has.
inline constexpr std::size_t most_sheet_columns = 12;
inline constexpr std::size_t most_sheet_rows = 32;

// A table stays on one page; what does not fit goes on the next. The key stands as the questions do, with the numbers
// in the boxes and the answers, which stay together, for the task. Errors: a table with more rows or columns than the
// most, or of uneven rows.
Result<std::vector<Page>> lay_out(const Worksheet& sheet, PaperSize paper, SheetSide side, const FontSet& fonts);

// The answers of all sheets in a row, each sheet's together below its number.
std::vector<Page> lay_out_answers(std::span<const Worksheet> sheets, PaperSize paper, const FontSet& fonts);

// Side after side, of all sheets, of which there is at least one; where there are more, their keys are the answers
// alone. As PDF; the same sheets, fonts and time give the same bytes. `time` is seconds since 1970, UTC.
Result<std::string> worksheets_pdf(std::span<const Worksheet> sheets, PaperSize paper, std::span<const SheetSide> sides,
                                   const FontFiles& fonts, std::optional<std::int64_t> time);

}  // namespace headlight
