// What a worksheet is put together from, between worksheet_of.cpp and the files that choose its boxes and their
// answers.
//
// Not for anyone else: they ask worksheet_of.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/page/worksheet.h"
#include "engine/trace/trace.h"

namespace headlight::app {

inline constexpr int fewest_digits = 3;
inline constexpr double smallest_blank = 0.01;  // in size; nobody is asked for a smaller number, but for an exact 0

using Place = std::pair<std::string, Index>;  // step and flat cell

// The columns of keys, where there are more than fit: those of the query's largest weights, in their order. If not all
// keys with weight fit, of equal weights one is shown first.
struct Keys {
  Index of = 0;  // all there are
  std::vector<Index> shown;
  bool others_weigh_nothing = false;
  std::string why_nothing;  // then: "weigh 0", "are masked"
};

// A table and, row by row, where its numbers are in the trace.
struct Numbers {
  SheetTable table;
  std::vector<std::vector<Place>> places;
  std::optional<double> exp_sum;  // of a softmax's whole row, told where the row is cut
  std::string scale_label;        // of the step's explanations; empty where they have none
  double scale = 1;
  int digits = fewest_digits;        // of its cells
  int given_digits = fewest_digits;  // of the sum and the scale
  bool whole = false;                // all are small whole numbers, printed without decimals
  double largest = 0;  // of its cells where they are added up, so that small ones need fewer digits; else 0
};

// How many digits a number has in that table: as far right of the point as the largest, but four where others have as
// many.
int digits_at(const Numbers& numbers, double value);

// A number as that table prints it.
std::string printed_in(const Numbers& numbers, double value);

using Tables = std::map<std::string, Numbers*, std::less<>>;  // by their step
Tables tables_of(std::vector<Numbers>& all);

// A number that the rest of the sheet gives, and what it is made of.
struct Candidate {
  std::size_t table = 0, row = 0, column = 0;
  std::vector<Place> operands;
  int digits = fewest_digits;  // that all of them need
  std::string answer;          // as it is printed with the fewest
  bool copied = false;         // it is one number again, or 0 of zeros
};

struct Candidates {
  std::vector<std::vector<Candidate>> tables;
  int too_small = 0;  // numbers that the rest gives as well, but below smallest_blank
};

// Every number that the rest gives, table by table. What was set by hand follows from nothing.
Candidates candidates_of(const std::vector<Numbers>& all, const Trace& trace, const Keys& keys);

// The operands that a number is no more than a copy of: all else adds 0 or is a factor of 1, as in a score that no mask
// hides.
std::vector<Operand> copied_operands(const Explanation& e, double value, const Trace& trace);

// Of each number on the sheet that is a copy, which numbers it is one of, the nearest first; they need not be on it.
using Copies = std::map<Place, std::vector<Place>>;
Copies copies_of(const std::vector<Numbers>& all, const Trace& trace);

// The box whose answer the number at `place` would tell; nullptr where it is a box itself or copies none.
const Place* revealed_box(const Place& place, const Copies& copies, const std::map<Place, Candidate>& boxes);

// As many as are wanted or there can be, by their places: one of each table in turn, first those with answers of their
// own. A number stays where a box would be left with nothing but boxes, and copies of boxes, to compute it from.
std::map<Place, Candidate> choose_boxes(std::vector<std::vector<Candidate>> tables, const std::vector<Numbers>& all,
                                        const Copies& copies, int wanted, std::uint64_t seed);

// As many digits as it takes for the printed numbers to give every box. For a copy of a box the box is taken.
void choose_digits(const std::map<Place, Candidate>& boxes, std::vector<Numbers>& all, const Copies& copies,
                   const Trace& trace);

// How box `number` comes about, by its step's explanation: "4: −3.79 × 1/√8 = −1.34". `own` is its table.
std::string answer_of(int number, const Place& place, const Trace& trace, const Tables& tables, const Numbers& own);

}  // namespace headlight::app
