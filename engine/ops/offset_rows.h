// Tables with a row for each offset of a key from its query, which all pairs of that offset share.
#pragma once

#include <algorithm>

#include "engine/ops/ops.h"

namespace headlight::ops {

// Which row a pair uses: its offset from `nearest` on, farther ones counting as the last of their side.
struct OffsetRows {
  Index queries, keys, first;  // query 0 stands at `first` among the keys
  Index nearest, farthest;     // the offsets of the first row and of the last

  Index count() const { return farthest - nearest + 1; }
  Index of(Index query, Index key) const;
  // to (n_k): of the row that each key uses; of_rows begins with that of `first_row`.
  void spread(const float* of_rows, Index query, float* to, Index first_row = 0) const;
  // body(first, last) for parts of rows of several maps, each of one map's queries. Short ones use few rows of a table
  // besides each other's.
  template <class Body>
  void each_part(Index begin, Index end, const Body& body) const {
    constexpr Index most = 128;
    while (begin < end) {
      const Index last = std::min({end, begin + most, (begin / queries + 1) * queries});
      body(begin, last);
      begin = last;
    }
  }
  // sums (rows): of all keys that use a row.
  void gather(const float* of_keys, Index query, float* sums) const;
  // (n_q, n_k) of them, in a line of Python.
  std::string in_code(const char* library) const;

 private:
  // Keys before the first of these share the first row, those from the second on the last.
  Index first_past(Index query) const;
  Index first_far(Index query) const;
};

// A table (rows, d), or (M, rows, d) where each head has its own; `maps` consecutive ones belong to one head.
struct OffsetTable {
  OffsetTable(const Array& table, Index of_maps);
  Index at(Index map, Index row) const { return (map * heads / maps * rows + row) * width; }
  std::string id;
  std::shared_ptr<const Tensor> values;
  Index rows, width, heads, maps;
};

// q (B, S, n_q, d) · the row of the table that the pair uses → (B, S, n_q, n_k), with the axes of `scores`; `row` is
// how the formula writes that.
Operation scores_by_offset(const Array& q, const Array& table, const Array& scores, const OffsetRows& rows,
                           const std::string& row);
// The same of one v (M, d) for all queries, by a table (M, rows, d) → (1, M, n_q, n_k); made together with
// `scores_before`, of the same pairs.
Operation scores_by_offset_for_all_queries(const Array& v, const Array& table, const Array& scores,
                                           const OffsetRows& rows, const std::string& row,
                                           const std::string& scores_before);

}  // namespace headlight::ops
