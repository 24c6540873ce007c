#include "engine/io/csv.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"

namespace headlight {

std::string_view trimmed_field(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<float> csv_number(std::string_view text, char decimal_mark) {
  std::string written(trimmed_field(text));
  if (decimal_mark != '.' && std::ranges::count(written, decimal_mark) == 1 && written.find('.') == std::string::npos)
    std::ranges::replace(written, decimal_mark, '.');
  std::string_view field = written;
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto value = parse_number<double>(field);
  return value && std::isfinite(static_cast<float>(*value)) ? std::optional(static_cast<float>(*value)) : std::nullopt;
}

namespace {

// NaN and ∞, which are numbers that no table may hold.
bool is_not_finite(std::string_view field) {
  const auto value = parse_number<double>(field);
  return value && !std::isfinite(*value);
}

bool is_whole(std::string_view field) {
  return !field.empty() && field.find_first_not_of("0123456789") == std::string_view::npos;
}

// Neither a number nor one with a typing error, nor one that is left out.
bool is_word(std::string_view field, char mark) {
  return !field.empty() && !csv_number(field, mark) && !begins_as_number(field);
}

}  // namespace

bool begins_as_number(std::string_view field) {
  if (is_not_finite(field)) return true;
  for (const std::string_view marks : {"+-", ".,"})
    if (!field.empty() && marks.find(field.front()) != std::string_view::npos) field.remove_prefix(1);
  return !field.empty() && is_digit(field.front());
}

std::optional<std::size_t> find_mistyped(std::span<const std::string> fields, char mark, bool beside_word) {
  std::size_t numbers = 0, words = 0, first = fields.size();
  bool all_whole = true;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = trimmed_field(fields[i]);
    const bool number = csv_number(field, mark).has_value();
    numbers += number || is_not_finite(field);
    words += is_word(field, mark);
    all_whole = all_whole && (!number || is_whole(field));
    if (!number) first = std::min(first, i);
  }
  if (first == fields.size() || numbers == 0 || words > 1) return std::nullopt;
  const bool is_name = beside_word && all_whole;
  if (words == 1 && (is_name || 2 * numbers <= fields.size())) return std::nullopt;
  return first;
}

CsvLines::CsvLines(std::string_view text) : left_(text) {
  if (left_.starts_with("\xEF\xBB\xBF")) left_.remove_prefix(3);
  const std::string_view first = left_.substr(0, left_.find('\n'));
  for (const char candidate : {',', '\t', ';'})
    if (first.find(candidate) != std::string_view::npos) separator_ = candidate;
  // Under a header of one name, a comma parts no columns.
  if (separator_ == ',' && first.find(',') == std::string_view::npos && !csv_number(first, '.')) separator_ = '\n';
}

Result<std::optional<CsvFields>> CsvLines::next() {
  while (!left_.empty()) {
    line_ = next_line_;
    HL_TRY(CsvFields fields, read_line());
    const bool blank = fields.size() == 1 && fields[0].find_first_not_of(" \t") == std::string::npos;
    if (!blank) return std::optional(std::move(fields));
  }
  return std::optional<CsvFields>();
}

namespace {

constexpr std::size_t most_fields = 65536;  // of a line

}  // namespace

Result<CsvFields> CsvLines::read_line() {
  CsvFields fields(1);
  bool quoted = false, ended = false;
  while (!left_.empty() && !ended) {
    const char c = left_.front();
    left_.remove_prefix(1);
    next_line_ += c == '\n';
    if (c == '"' && quoted && left_.starts_with('"')) {
      fields.back() += '"';
      left_.remove_prefix(1);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      fields.back() += c;
    } else if (c == '\n') {
      ended = true;
    } else if (c == separator_) {
      if (fields.size() == most_fields) return fail("line {}: the table has more than {} fields", line_, most_fields);
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (quoted) return fail("line {}: a quote is opened and never closed", line_);
  return fields;
}

namespace {

constexpr std::uint64_t largest_table = std::uint64_t{1} << 28;  // bytes
constexpr std::size_t most_cells = std::size_t{1} << 24;

struct TableLine {
  CsvFields fields;
  Index number;
};

// A field is a word of its own.
Status check_room_for(std::string_view text, char separator) {
  const auto fields = std::min(
      most_cells, static_cast<std::size_t>(std::ranges::count(text, separator) + std::ranges::count(text, '\n')));
  return check_memory(static_cast<double>(fields * sizeof(std::string)));
}

Result<std::vector<TableLine>> lines_of(std::string_view text) {
  CsvLines table(text);
  HL_CHECK(check_room_for(text, table.separator()));
  std::vector<TableLine> lines;
  std::size_t cells = 0;
  while (true) {
    HL_TRY(auto fields, table.next());
    if (!fields) return lines;
    cells += fields->size();
    if (cells > most_cells) return fail("line {}: the table has more than {} fields", table.line(), most_cells);
    lines.push_back({std::move(*fields), table.line()});
  }
}

// [["", "The", "cat"], ["The", 0.5, 0.5]], as the fields of a table.
Result<std::vector<TableLine>> lines_of_json(std::string_view text) {
  auto json = read_json(text);
  if (!json) return fail("{}", message_line(json.error().message));
  if (!json->is_array()) return fail("is {}: a list of rows is needed", kind_of(*json));
  std::vector<TableLine> lines;
  for (const Json& row : *json) {
    TableLine line{{}, static_cast<Index>(lines.size()) + 1};
    if (!row.is_array()) return fail("row {} is {}: a list is needed", line.number, kind_of(row));
    for (const Json& cell : row) {
      if (!cell.is_number() && !cell.is_string())
        return fail("row {} holds {}: numbers and names are read", line.number, kind_of(cell));
      line.fields.push_back(cell.is_string() ? cell.get<std::string>() : cell.dump());
    }
    if (line.fields.empty()) return fail("row {} is empty", line.number);
    lines.push_back(std::move(line));
  }
  return lines;
}

// Whether the fields count up, as the numbers of rows and columns do: 0, 1, 2 …
bool are_consecutive(const CsvFields& fields, std::size_t from) {
  for (std::size_t i = from; i < fields.size(); ++i)
    if (trimmed_field(fields[i]) != std::to_string(i - from)) return false;
  return true;
}

// Whether they may stand for columns below an empty corner: words, or whole numbers that ascend.
bool are_names(const CsvFields& fields, char mark) {
  Index before = -1;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::string_view field = trimmed_field(fields[i]);
    if (!csv_number(field, mark)) return true;
    const auto number = parse_number<Index>(field);
    if (!is_whole(field) || !number || *number <= before) return false;
    before = *number;
  }
  return fields.size() > 1;
}

// Which numbers of a table are those of its rows and columns. Three that count up are no row of weights, but may be one
// of distances or scores, where the others are whole numbers, too.
struct Numbered {
  bool rows = false, columns = false;
};

Numbered numbered_sides(const std::vector<TableLine>& lines, char mark) {
  constexpr std::size_t fewest = 3;
  const CsvFields& first = lines.front().fields;
  const std::size_t from = csv_number(first.front(), mark) ? 0 : 1;
  CsvFields column;
  bool decimals = false;
  for (const TableLine& line : std::span(lines).subspan(1)) {
    column.push_back(line.fields.front());
    decimals = decimals || std::ranges::any_of(line.fields.begin() + 1, line.fields.end(), [&](const auto& field) {
                 return csv_number(field, mark) && !is_whole(trimmed_field(field));
               });
  }
  const bool header = first.size() >= from + fewest && are_consecutive(first, from);
  if (csv_number(first.back(), mark) && !header) column.insert(column.begin(), first.front());
  return {decimals && column.size() >= fewest && are_consecutive(column, 0), decimals && header};
}

// That what makes the first line a header, or the first column names, is no number with a typing error. Beside an empty
// corner, or one that is left out, they are names whatever they are.
Status check_sides(const std::vector<TableLine>& lines, bool header, bool named, char mark) {
  const CsvFields& first = lines.front().fields;
  const std::size_t width = (lines.size() > 1 ? lines[1] : lines.front()).fields.size();
  if (header && first.size() + 1 == width) return {};
  const auto refused = [](Index line, std::size_t field, const std::string& text) {
    return fail(
        "line {}, field {}: \"{}\" is not a number: write it as 0.5 or 2e-3 (names of rows and columns need an empty "
        "first field)",
        line, field + 1, brief(text));
  };
  const std::size_t from = first.size() > 1 && !csv_number(first.front(), mark) ? 1 : 0;
  const bool corner = is_word(trimmed_field(first.front()), mark);
  if (header && width == 1 && begins_as_number(first.front())) return refused(lines.front().number, 0, first.front());
  if (header)
    if (const auto at = find_mistyped(std::span(first).subspan(from), mark, corner))
      return refused(lines.front().number, from + *at, first[from + *at]);
  CsvFields column;
  for (const TableLine& line : std::span(lines).subspan(header ? 1 : 0)) column.push_back(line.fields.front());
  if (const auto at = named ? find_mistyped(column, mark, corner) : std::nullopt)
    return refused(lines[*at + (header ? 1 : 0)].number, 0, column[*at]);
  return {};
}

Result<NamedMatrix> matrix_of(std::vector<TableLine> lines, char mark) {
  if (lines.empty()) return fail("is empty: it must be a table of numbers");
  const auto is_number = [mark](const std::string& field) { return csv_number(field, mark).has_value(); };
  const CsvFields& first = lines.front().fields;
  const bool corner = trimmed_field(first.front()).empty() && are_names(first, mark);
  const Numbered numbered = numbered_sides(lines, mark);
  const bool header =
      corner || numbered.columns ||
      std::ranges::any_of(first.begin() + 1, first.end(), [&](const auto& one) { return !is_number(one); }) ||
      (first.size() == 1 && !is_number(first.front()));
  if (!corner && !numbered.columns) HL_CHECK(check_sides(lines, header, !numbered.rows, mark));
  const auto body = lines.begin() + (header ? 1 : 0);
  if (body == lines.end()) return fail("has no rows below its header");
  const std::size_t width = body->fields.size();
  const bool named =
      numbered.rows || (corner && first.size() == width) ||
      (header && first.size() + 1 == width && is_whole(trimmed_field(body->fields.front()))) ||
      std::ranges::any_of(body, lines.end(), [&](const TableLine& line) { return !is_number(line.fields.front()); });
  const std::size_t before = named ? 1 : 0;
  if (width <= before) return fail("line {}: the row has a name and no number", body->number);
  NamedMatrix matrix{
      Tensor::uninitialized({static_cast<Index>(lines.end() - body), static_cast<Index>(width - before)}), {}, {}};
  // Some programs leave out what would stand above the names of the rows.
  if (header && first.size() + before != width && first.size() != width)
    return fail("line {}: the line has {} fields, and the header {}", body->number, width, first.size());
  if (header)
    for (std::size_t i = first.size() == width ? before : 0; i < first.size(); ++i)
      matrix.columns.emplace_back(trimmed_field(first[i]));
  Index to = 0;
  for (auto line = body; line != lines.end(); ++line) {
    if (line->fields.size() != width)
      return fail("line {}: the line has {} fields, and those above {}", line->number, line->fields.size(), width);
    if (named) matrix.rows.emplace_back(trimmed_field(line->fields.front()));
    for (std::size_t i = before; i < width; ++i) {
      const auto number = csv_number(line->fields[i], mark);
      if (!number)
        return fail("line {}, field {}: \"{}\" is not a number: write it as 0.5 or 2e-3", line->number, i + 1,
                    brief(line->fields[i]));
      matrix.cells[to++] = *number;
    }
  }
  // Numbers that only count call nothing by a name.
  for (std::vector<std::string>* names : {&matrix.rows, &matrix.columns})
    if (are_consecutive(*names, 0)) names->clear();
  return matrix;
}

}  // namespace

Result<NamedMatrix> read_named_matrix(const std::filesystem::path& path) {
  const std::string where = one_line(utf8(path));
  HL_TRY(const std::string text, read_file(path, largest_table));
  const bool json = path.extension() == ".json";
  auto lines = json ? lines_of_json(text) : lines_of(text);
  if (!lines) return fail_at(where, lines.error());
  auto matrix = matrix_of(std::move(*lines), json ? '.' : CsvLines(text).decimal_mark());
  if (!matrix) return fail("{}: {}", where, matrix.error().message);
  return matrix;
}

}  // namespace headlight
