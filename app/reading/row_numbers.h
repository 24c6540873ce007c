// One row of a step as people read numbers: a line for each column of the row, with what it was made from; and how many
// keys its weights are spread over.
//
// A row of weights is shown as score, exp and weight, key by key; any other row as its values alone. Every number is
// read from the trace by its explanations; nothing is computed by a rule of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"
#include "engine/trace/trace.h"

namespace headlight::app {

struct NumberColumn {
  std::string heading;    // "score"
  std::string note = {};  // "m = max = 3.279"
  Role role = Role::none;
  double least = 0;  // what the bars reach: from least to most, with 0 between or at an end
  double most = 1;
  int digits = 3;
  std::string total = {};  // under the column, or empty
};

struct NumberRow {
  std::string label;
  std::vector<double> values;  // one a column
  std::string masked;          // why it takes no part; empty where it does
};

struct RowNumbers {
  std::string what;  // "scores to weights, key by key"
  Role index_role = Role::none;
  std::string index_name;  // "key"
  std::vector<NumberColumn> columns;
  std::vector<NumberRow> rows;
  bool places = false;  // labels are places on a picture, which need no number beside them
  std::string remark;   // "entropy 0.68 nats of 2.30 possible", beside the totals
};

// The numbers of a row of the slice that `focus` shows, which should be flat: a query's keys. Scores of every kind are
// shown as their weights are, where the run has weights of the same shape. The row must be inside the picture.
RowNumbers row_numbers(const Trace& trace, const Step& step, const Focus& focus, Index row);

// The row that is selected, where the step shows one as queries by keys or as a table.
std::optional<Index> row_looked_at(const Step& step, const Focus& focus);
// As lines for a spreadsheet, with tabs between: place, label, and each column's number in as many digits as it has.
std::string to_tsv(const RowNumbers& numbers);

// How many keys a query's weights are spread over.
struct ResponseWidth {
  Index half = 0, most = 0;  // keys that together have 50 % and 90 % of the weight, the heaviest first
  double effective = 0;      // exp of the entropy: so many keys looked at alike would spread it as wide
  Index keys = 0;            // that could be looked at, masked ones aside
};

// Of the row of a cell; nothing where weights are no softmax over keys, or all of them are masked.
std::optional<ResponseWidth> response_width(const Trace& trace, const Step& weights, Index cell);

}  // namespace headlight::app
