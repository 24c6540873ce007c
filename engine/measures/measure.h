// The measures of heads that there are: a row each in measure_rows.cpp, in the order in which they are shown. Ids, the
// order of heads, columns, commands and words all come from there.
//
// Not for the numbers of a run: head_measures.h.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/trace/trace.h"

namespace headlight {

struct MeasuredRow;  // measured_map.h
class OutputShares;  // head_outputs.h

// One of them, by its place in the table.
class Measure {
 public:
  explicit constexpr Measure(std::size_t place) : place_(place) {}
  constexpr std::size_t place() const { return place_; }
  auto operator<=>(const Measure&) const = default;

  // Those that something else than the table speaks of; a row that is not there does not compile.
  static const Measure entropy, effective_keys, confidence, distance, self, previous, first, same, induction, special,
      share, ablation;

 private:
  std::size_t place_;
};

// Why there is no number of a measure for any head.
enum class Missing {
  nothing,         // it is there
  not_square,      // queries and keys are not as many
  window,          // keys are places round each query
  own_window,      // keys are those of the window that a query is in
  tokens,          // keys have no tokens
  such_keys,       // no query has keys of the kind
  special_tokens,  // no key stands for no text
  second_query,    // there is one query
  visible_keys,    // no row has a weight
  head_outputs,    // no step shows what heads hand on
  runs,            // its runs have not been made
};

struct HeadValues {
  std::vector<double> values;  // one a head; NaN where no query counts
  Missing missing = Missing::nothing;
};

// What a measure compares, without which no head has a number.
struct MeasureNeeds {
  bool places = false;          // as many queries as keys, or a window
  bool tokens = false;          // keys that stand for tokens
  bool special_tokens = false;  // some that stand for no text
  bool such_keys = false;       // keys that not every query has
  bool second_query = false;
};

// The most that a number can be, so far as a bar reaches: 1, unless weights are no shares; ln n_k; n_k; anything.
enum class MeasureMax { one, ln_keys, keys, anything };

struct MeasureRow {
  const char* id;         // "effective_keys": in files, actions and on the command line
  const char* title;      // "Effective keys"
  const char* heading;    // of a narrow column: "keys"
  const char* phrase;     // within a sentence: "weight on the previous place"
  const char* unit = "";  // "nats"; empty for shares
  const char* formula;    // LaTeX, of a query i
  const char* says;       // what it is, and over which queries it is a mean
  const char* source;     // paper, section
  MeasureMax max = MeasureMax::one;
  MeasureNeeds needs = {};
  // The number of one query, of which the measure is the mean; nothing where that query does not count.
  std::optional<double> (*of_row)(const MeasuredRow&) = nullptr;
  // Or, where rows of the map do not say it, all heads' numbers of the run: of all items of the batch, or of one.
  HeadValues (*of_run)(const OutputShares&, std::optional<Index> item, Compute&) = nullptr;
};

std::span<const MeasureRow> measure_rows();
const MeasureRow& row_of(Measure measure);
std::span<const Measure> all_measures();

std::string_view id_of(Measure measure);
std::optional<Measure> measure_by_id(std::string_view id);

}  // namespace headlight
