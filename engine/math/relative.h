// Scores of relative positions in a picture: how well a query suits the row and column offset to a key.
//
// Not for what keys hold; math.h and window.h have those products. As there, every function splits its work over the
// threads of `compute`, writes each number on one thread in one order, and leaves early once cancelled.
#pragma once

#include "engine/core/parallel.h"

namespace headlight::math {

// One vector of `half` numbers for each offset from −(P − 1) to P − 1, in order, for rows and for columns.
struct OffsetTables {
  const float* rows = nullptr;  // (2P − 1, half)
  const float* columns = nullptr;
  Index max_position = 1;  // P
  Index half = 1;
};

// table (2P − 1, half) → out (n, n, half) whose [i][k] is the table's entry for the offset k − i. n is at most P.
void gather_offsets(Compute& compute, const float* table, Index max_position, Index half, Index n, float* out);

// shares (rows) · table (rows, width) → out (width), on the calling thread.
void sum_of_rows(const float* shares, const float* table, Index rows, Index width, float* out);

// Which pixels of a picture ask: `count` of them, row by row from `first`.
struct PictureQueries {
  Index rows = 1;
  Index columns = 1;
  Index first = 0;
  Index count = 1;
};

// q (planes, count, 2·half) → out (planes, count, keys) = factor · q · [rows' entry; columns' entry] for the offsets
// from each query to each key. The keys are the whole picture, or the window of `extent` × `extent` round
// the query where that is not 0, outside the picture too. All offsets must lie in the tables.
//
// No vector is made for a pair: the first half of q meets every row offset and the second every column offset, once,
// and each pair is a sum of two numbers. Ramachandran et al. 2019, section 2.2, equation 3.
void offset_scores(Compute& compute, const float* q, Index planes, const PictureQueries& queries, Index extent,
                   const OffsetTables& tables, float factor, float* out);

}  // namespace headlight::math
