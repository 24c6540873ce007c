// A term by distance (ALiBi, T5, Shaw): what is added to the score of a pair for its offset.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

struct OffsetTerm {
  const Step* added = nullptr;    // (1|B, M, n_q, n_k): what the offset adds to a score
  const Step* for_all = nullptr;  // what it adds for every query alike, where that is a step of its own; null: nothing
  const Step* rows = nullptr;     // (n_q, n_k): the row of a table that each pair shares with others; null: none
  Index first_query = 0;          // where query 0 stands among the keys
  bool of_query = false;          // it depends on the query, too: a row of its own for each
  std::string title;              // "ALiBi"
};
std::optional<OffsetTerm> offset_term(const Problem& problem, const Trace& trace);

// An offset from query to key that some pair has.
struct AtOffset {
  Index offset = 0;  // δ = key − place of the query
  double added = 0;
  Index row = -1;  // of the table; −1 without one
};
// Of a head, ascending by offset; of that query's own where the term depends on it.
std::vector<AtOffset> by_offset(const OffsetTerm& term, Index batch, Index head, Index query);

// Whether keys after the query are hidden from it.
bool hides_later_keys(const Problem& problem);

}  // namespace headlight::mechanism
