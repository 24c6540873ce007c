// What differs between two runs, A and B: which of their steps stand for each other, B − A and B / A cell by cell, and
// what a run comes to in a few numbers.
//
// Pure functions over two traces. Not for how differences are drawn, nor for which runs are compared (app/session).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/axis_match.h"
#include "app/reading/slice.h"
#include "engine/base/result.h"

namespace headlight::app {

// The step of A that plays the part of a step of B, by what both are for; null where there is none.
const Step* counterpart(const Trace& a, const Trace& b, const Step& of_b);

enum class Contrast { difference, ratio };

// One picture of a step in both runs, over the rows and columns that have partners.
struct Difference {
  AxisMatch rows, columns;
  Tensor cells;           // (rows, columns): B − A, or log2(B / A); masked where either is, NaN where there is none
  Index masked_in_a = 0;  // cells that are masked there and visible in the other
  Index masked_in_b = 0;
  Index outside_a = 0;        // keys of windows that are visible in B and lie in no window of their query in A
  Index outside_b = 0;        // and the other way round
  Index undefined = 0;        // B / A where A is 0 or the signs differ
  float greatest = 0;         // magnitude
  Index row = 0, column = 0;  // where that is, among rows and columns
  double total = 0;           // root of the sum of all squares

  float greatest_cell() const { return cells[row * columns.size() + column]; }  // the cell of that magnitude
  // Where in A the column of a cell lies; nothing where A has none there.
  std::optional<Index> column_in_a(Index of_row, Index of_column) const;
};
// Each focus is in its own run. Errors: one line on why these pictures cannot be compared.
Result<Difference> difference_of(const Trace& a, const Step& step_a, const Focus& focus_a, const Trace& b,
                                 const Step& step_b, const Focus& focus_b, Contrast contrast);

// ---- A run in a few numbers

// Means over the rows of a map that see any key.
struct MapMeans {
  std::optional<double> entropy;  // nats; where all rows add up to 1
  double peak = 0;                // largest weight of a row
  double sum = 0;                 // of a row
  std::optional<double> later;    // weight on keys after the query, where both are the same positions
  Index rows = 0;
};
// Of one head, or of all. Nothing where no row sees a key.
std::optional<MapMeans> means_of(const Trace& trace, const Step& map, Index batch, std::optional<Index> head);

// ‖B − A‖ / ‖A‖ of a step of one batch item, over what has partners. Nothing where it cannot be said.
std::optional<double> relative_change(const Step& a, const Step& b, Index batch_a, Index batch_b);

// What both runs have to say of one pair: a score after each step, the weight, its row.
struct PairNumber {
  std::string name;  // "scaled scores"
  Role role = Role::none;
  double a = 0, b = 0;  // −∞: masked
};
// Of a query and a key that both runs have; `map` is a map of B.
std::vector<PairNumber> pair_numbers(const Trace& a, const Focus& focus_a, const Trace& b, const Step& map,
                                     const Focus& focus_b);

}  // namespace headlight::app
