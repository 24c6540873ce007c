// The history of one cell as people read it: the result and a check, a table of operands, then one line a stage.
//
// Made by following explanations back through the trace until a sum of products is reached. It says nothing of its own:
// every number is read from the trace or made from such by a rule that is named, and a line multiplies out as it is
// printed. The text form is what "copy trace" copies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/printed.h"
#include "engine/trace/trace.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

// One product of the sum at the bottom.
struct OperandRow {
  std::string index;            // "3": the channel, or the token
  std::vector<double> factors;  // one or two; three where two sums share their first
  double product = 0;
  std::optional<double> second = {};  // the other sum's product, where two are told together
  std::string masked = {};            // why its key takes no part; empty where it does
};

struct OperandTable {
  std::string step;                   // id of the step whose cell this is
  std::string index_heading;          // "c"
  std::vector<std::string> headings;  // "q", "k", and "q·k" last; "q", "k", "r", "q·k", "q·r" for two sums
  std::vector<Role> roles;
  std::vector<OperandRow> rows;  // all of them, in their order
  double sum = 0;
};

// The rows in the order in which they are shown: in their own where they are few, else those that matter most first.
// Rows of which nothing is left are counted, not shown.
struct ShownRows {
  std::vector<std::size_t> order;
  std::size_t zero = 0, masked = 0;  // left out: products that are 0, and keys that take no part
};
ShownRows shown_rows(const OperandTable& table);

struct TraceLine {
  std::string label;             // "÷ √8"
  std::string expression;        // "9.274 / 2.828"
  std::string value;             // "3.279", "visible", "masked"
  std::vector<Printed> numbers;  // of the expression, in the order in which they stand there
  Printed result;                // the value's number, where it is one
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
  std::string check;  // "Recomputed, and row 9 sums to 1.000000"
  bool check_ok = true;
  double difference = 0;  // |recomputed in double − stored|
};

// The cell must belong to the step; the step may be a source, whose numbers have no history.
CellTrace trace_cell(const Trace& trace, const Step& step, Index cell);

// Why a cell takes no part: a mask made it −∞, or made a weight of such a score. Empty where it does take part. A
// masked number is told as such and never as 0.
std::string why_masked(const Trace& trace, const Step& step, Index cell);

// As plain text, for the clipboard.
std::string to_text(const CellTrace& cell_trace, const Trace& trace);

// ---- The sum at its bottom by the pairs of channels that turned

struct PairRow {
  Index first = 0, second = 0;  // its channels
  double frequency = 0;         // radians a place
  mechanism::Dial dial;
};

struct PairTable {
  std::vector<PairRow> rows;             // of every pair, fast to slow
  double still = 0;                      // what channels that do not turn add
  double sum = 0;                        // of all of them: the dot product
  Index query_place = 0, key_place = 0;  // on the circle
};

// Of the dot product that a cell's history ends in (its table of operands). Nothing where no channels turned, or where
// something besides them went into the product.
std::optional<PairTable> pair_table(const Problem& problem, const Trace& trace, const CellTrace& story);

}  // namespace headlight::app
