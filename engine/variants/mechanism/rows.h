// How a row of scores became weights, where it was not by softmax alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

struct RowRule {
  std::string title;                    // "sparsemax", "soft cap 5"
  std::string what;                     // what it does to a row, one sentence
  double nobody = 0;                    // the share that no key took
  std::vector<double> scores, weights;  // one a key; −∞ where it is hidden
  std::vector<double> plain;            // softmax of the same scores, uncapped
};
bool has_row_rule(const Problem& problem);
std::optional<RowRule> row_rule(const Problem& problem, const Trace& trace, Index batch, Index head, Index query);

// What any score would become in that row, all else as it is: with a soft cap before softmax c tanh(s/c), a score
// again; else the weight, at the threshold or the sum that the row has.
struct RowCurve {
  bool of_cap = false;              // a score comes out
  double first = 0, step = 0;       // of the scores that go in, from the row's least to its greatest
  std::vector<double> here, plain;  // at first, first + step …; plain: the score itself, or its weight by softmax
  std::vector<double> in, out;      // one a key: where it lies on the curve; not finite where it is hidden
};
// Of a row of which something finite is seen.
std::optional<RowCurve> row_curve(const Problem& problem, const Trace& trace, Index batch, Index head, Index query);

// What the weights of each row add up to in that head → (n_q); empty where they always add up to 1.
std::vector<double> sums_of_rows(const Problem& problem, const Trace& trace, Index batch, Index head);

}  // namespace headlight::mechanism
