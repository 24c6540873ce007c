// What differs between two runs, A and B: which of their steps and positions stand for each other, B − A and B / A cell
// by cell, and what a run comes to in a few numbers.
//
// Pure functions over two traces. Not for how differences are drawn, nor for which runs are compared (app/session).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"
#include "engine/base/result.h"

namespace headlight::app {

// Positions along an axis of A and one of B that stand for each other, in their order.
struct AxisMatch {
  std::vector<Index> a, b;            // a[i] stands for b[i]
  std::vector<Index> only_a, only_b;  // without a partner
  bool by_token = false;              // found by their labels, not by their places

  Index size() const { return static_cast<Index>(a.size()); }
  bool whole() const { return only_a.empty() && only_b.empty(); }
  std::optional<Index> partner_in_a(Index of_b) const;
  std::optional<Index> partner_in_b(Index of_a) const;
  // Where both stand among those that have partners.
  std::optional<Index> place_of_b(Index of_b) const;
};
// Axes of one length match place by place. Others match where they have labels: by a longest common subsequence of
// those of these items of their batches. Errors say why these two cannot be matched; both null match as one place.
Result<AxisMatch> match(const Axis* a, Index item_a, const Axis* b, Index item_b);

// Queries and keys of one item of the batches of two runs; what cannot be matched is empty.
struct PositionMatch {
  AxisMatch queries, keys;
  std::string why_not;  // the first reason; empty where both could be
};
PositionMatch match_positions(const Trace& a, const Trace& b, Index item);
// The selection with its query and key as they stand in A; without those that have no partner there.
Selection partner_in_a(const PositionMatch& match, Selection of_b);
Selection partner_in_b(const PositionMatch& match, Selection of_a);

// The step of A that plays the part of a step of B, by what both are for; null where there is none.
const Step* counterpart(const Trace& a, const Trace& b, const Step& of_b);

enum class Contrast { difference, ratio };

// One picture of a step in both runs, over the rows and columns that have partners.
struct Difference {
  AxisMatch rows, columns;
  Tensor cells;           // (rows, columns): B − A, or log2(B / A); masked where either is, NaN where there is none
  Index masked_in_a = 0;  // cells that are masked there and visible in the other
  Index masked_in_b = 0;
  Index undefined = 0;        // B / A where A is 0 or the signs differ
  float greatest = 0;         // magnitude
  Index row = 0, column = 0;  // where that is, among rows and columns
  double total = 0;           // root of the sum of all squares
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
