#include "app/reading/cell_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headlight::app {

namespace {

std::optional<double> row_value(const OperandRow& row) {
  if (!row.masked.empty()) return std::nullopt;
  return row.product + row.second.value_or(0);
}

// Sums over the same: their rows stand for each other.
void pair_rows(const CellTrace& a, const CellTrace& b, CellPair& pair) {
  if (!a.table || !b.table || a.table->step != b.table->step || a.table->rows.size() != b.table->rows.size()) return;
  pair.index_heading = a.table->index_heading;
  for (std::size_t i = 0; i < a.table->rows.size(); ++i) {
    const OperandRow &one = a.table->rows[i], &other = b.table->rows[i];
    const std::string index = one.index == other.index ? one.index : fmt::format("{} | {}", one.index, other.index);
    pair.rows.push_back({index, row_value(one), row_value(other)});
    const double by = std::abs(pair.rows.back().difference());
    if (by > 0 && (!pair.most_by || by > std::abs(pair.rows[*pair.most_by].difference()))) pair.most_by = i;
  }
}

bool is_same(const TraceLine& a, const TraceLine& b) {
  return a.label == b.label || (!a.step.empty() && a.step == b.step);
}

// Line by line; what one of them alone has stands alone.
void pair_lines(const CellTrace& a, const CellTrace& b, CellPair& pair) {
  std::size_t next = 0;
  const auto alone = [&](const TraceLine& line) {
    pair.lines.push_back({line.label, {}, line.value, true, line.role});
  };
  for (const TraceLine& line : a.lines) {
    const auto rest = b.lines.begin() + static_cast<std::ptrdiff_t>(next);
    const auto found = std::find_if(rest, b.lines.end(), [&](const TraceLine& other) { return is_same(line, other); });
    if (found == b.lines.end()) {
      pair.lines.push_back({line.label, line.value, {}, true, line.role});
      continue;
    }
    std::for_each(rest, found, alone);
    pair.lines.push_back({line.label, line.value, found->value, line.value != found->value, line.role});
    next = static_cast<std::size_t>(found - b.lines.begin()) + 1;
  }
  std::for_each(b.lines.begin() + static_cast<std::ptrdiff_t>(next), b.lines.end(), alone);
  pair.lines.push_back({a.result_label, a.result, b.result, a.result != b.result, a.result_role});
  const auto first = std::ranges::find(pair.lines, true, &PairedLine::differs);
  if (first != pair.lines.end()) pair.parts_at = static_cast<std::size_t>(first - pair.lines.begin());
}

std::string or_nothing(const std::string& value) {
  return value.empty() ? "nothing" : value;
}

std::string number_or_masked(const std::optional<double>& value) {
  return value ? number_text(*value) : "masked";
}

std::string words_of(const CellPair& pair) {
  if (!pair.parts_at) return "Nothing that is printed differs between them.";
  const PairedLine& line = pair.lines[*pair.parts_at];
  std::string words =
      fmt::format("They part at “{}”: {} against {}.", line.label, or_nothing(line.a), or_nothing(line.b));
  if (!pair.most_by) return words;
  const PairedRow& row = pair.rows[*pair.most_by];
  return words + fmt::format(" Most of it is {} {}: {} against {}.", pair.index_heading, row.index,
                             number_or_masked(row.a), number_or_masked(row.b));
}

}  // namespace

CellPair pair_of(const CellTrace& a, const CellTrace& b) {
  CellPair pair;
  pair_rows(a, b, pair);
  pair_lines(a, b, pair);
  pair.words = words_of(pair);
  return pair;
}

std::vector<std::size_t> shown_rows(const CellPair& pair, std::size_t most) {
  std::vector<std::size_t> order(pair.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  const auto by = [&](std::size_t row) { return -std::abs(pair.rows[row].difference()); };
  std::ranges::stable_sort(order, {}, by);
  order.resize(most);
  return order;
}

}  // namespace headlight::app
