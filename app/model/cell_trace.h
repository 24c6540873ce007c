// The history of one cell as people read it: a table of operands, then one line a stage, then the result and a check.
//
// Made by following explanations back through the trace until a sum of products is reached. It says nothing of its own:
// every number is read from the trace, and the text form is what "copy trace" copies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight::app {

// One product of the sum at the bottom.
struct OperandRow {
  std::string index;            // "3": the channel, or the token
  std::vector<double> factors;  // one or two; three where two sums share their first
  double product = 0;
  std::optional<double> second = {};  // the other sum's product, where two are told together
};

struct OperandTable {
  std::string step;                   // id of the step whose cell this is
  std::string index_heading;          // "c"
  std::vector<std::string> headings;  // "q", "k", and "q·k" last; "q", "k", "r", "q·k", "q·r" for two sums
  std::vector<Role> roles;
  std::vector<OperandRow> rows;  // all of them
  double sum = 0;
};

struct TraceLine {
  std::string label;       // "scaled"
  std::string expression;  // "9.274 / 2.828"
  std::string value;       // "3.279", "visible", "masked"
  Role role = Role::none;
  std::string step;  // the step this line stands for, where it is one
  Index cell = -1;
};

struct CellTrace {
  std::string step;
  Index cell = -1;
  double value = 0;
  std::optional<OperandTable> table;
  std::vector<TraceLine> lines;
  std::string result_label;  // "weight"
  std::string result;        // "0.8649", "masked"
  Role result_role = Role::none;
  std::string check;  // "Row 9 sums to 1.000000"
  bool check_ok = true;
  double difference = 0;  // |recomputed in double − stored|
};

// The cell must belong to the step; the step may be a source, whose numbers have no history.
CellTrace trace_cell(const Trace& trace, const Step& step, Index cell);

// As plain text, for the clipboard.
std::string to_text(const CellTrace& cell_trace, const Trace& trace);

// "3.279", "-0.101", "1.2e-05", "−∞", "NaN": digits that people can read and compare.
std::string number_text(double value, int digits = 3);

}  // namespace headlight::app
