// Tables as text: fields between commas, tabs or semicolons, a line a row; and matrices with words round them.
//
// Not for signals, which are one column of such a table: signal.h.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight {

using CsvFields = std::vector<std::string>;

// Without white space at its ends.
std::string_view trimmed_field(std::string_view text);
// With a point, or with the mark that the table has: "1.5" and perhaps "1,5".
std::optional<float> csv_number(std::string_view text, char decimal_mark);

// "0.x2", "-.5o": a digit, perhaps after a sign and a mark; or a number that is not finite: "NaN", "-inf".
bool begins_as_number(std::string_view field);
// In a row that should hold names: the first field that is a mistyped number. It is one where no field is a word, and
// where the one word stands among more numbers; but beside another word, as a corner is, it is a name among whole
// numbers.
std::optional<std::size_t> find_mistyped(std::span<const std::string> fields, char decimal_mark,
                                         bool beside_word = false);

// Walks through a table line by line; line numbers count from 1, and a quoted field may span lines.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text);

  // What stands before decimals: "1,5" is a number where commas part no columns.
  char separator() const { return separator_; }
  char decimal_mark() const { return separator_ == ',' ? '.' : ','; }
  Index line() const { return line_; }
  // The next line that is not blank; nothing at the end.
  Result<std::optional<CsvFields>> next();

 private:
  Result<CsvFields> read_line();

  std::string_view left_;
  char separator_ = ',';
  Index line_ = 0;
  Index next_line_ = 1;
};

// A matrix whose rows and columns may have names.
struct NamedMatrix {
  Tensor cells;                            // (rows, columns)
  std::vector<std::string> rows, columns;  // none where they have no names
};

// Of a .csv or .tsv: names stand in the first line and in the first field of each, as far as they are no numbers, or
// numbers below an empty corner, or such that count rows or columns; one among numbers is a typing error. Of JSON a
// list of such lists. Errors name the line and the field.
Result<NamedMatrix> read_named_matrix(const std::filesystem::path& path);

}  // namespace headlight
