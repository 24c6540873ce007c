// Two cells of one step told together: their operands and lines side by side, and where their stories part.
//
// Not for what is told of one of them: cell_trace.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/cell_trace.h"

namespace headlight::app {

// What one operand gives to each; nothing where it takes no part.
struct PairedRow {
  std::string index;
  std::optional<double> a, b;
  double difference() const { return a.value_or(0) - b.value_or(0); }
};

struct PairedLine {
  std::string label;
  std::string a, b;  // the values; empty: the other has no such line
  bool differs = false;
  Role role = Role::none;
};

struct CellPair {
  std::string index_heading;            // "c"
  std::vector<PairedRow> rows;          // in their order; none where the sums are not over the same
  std::vector<PairedLine> lines;        // the sum, where there is one, then one a stage
  std::optional<std::size_t> parts_at;  // the first line that differs
  std::optional<std::size_t> most_by;   // the row that makes most of the difference
  std::string words;  // "They part at “dot product”: 9.274 against 1.032. Most of it is c 2: 2.590 against −0.371."
};

CellPair pair_of(const CellTrace& a, const CellTrace& b);

// The rows in the order in which they are shown: in their own where they are few, else those that differ most first.
std::vector<std::size_t> shown_rows(const CellPair& pair, std::size_t most);

}  // namespace headlight::app
