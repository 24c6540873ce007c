// A dot product of a query and a key that were turned by their places, as what each pair of channels adds to it.
#pragma once

#include <optional>
#include <vector>

#include "app/reading/cell_trace.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

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
