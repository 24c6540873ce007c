// What a run's choices change, each as one number on the run's own input. Pure functions of recorded runs.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/measures/past_length.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight {

// Of one head, over all batch items.
struct HeadFigures {
  double largest = 0;           // weight, by size
  std::optional<Index> rank;    // of its map; of the first batch item
  Index pairs = 0;              // of a query and a key that no mask hides; of the first batch item
  std::optional<double> shift;  // largest change of a weight when all places move on
  std::optional<double> ramp;   // ALiBi: added to the score of a key that lies twice the run's length away
};

struct MechanismFigures {
  std::optional<Index> kept, kept_each;  // numbers kept a token: as it is, and with plain attention
  std::optional<Index> state;            // numbers kept once, however many tokens there are
  std::optional<Index> all_pairs;        // of all queries and all positions: what a map without windows has
  bool reads_places = true;              // else there is no place to move
  std::optional<PastLength> past;        // what a longer input would meet
  std::vector<HeadFigures> heads;
};

// Ranks of larger maps are not found: they take time that grows with the cube.
inline constexpr Index most_rows_ranked = 512;

// Of the run's map; `moved` is the same run with all places moved on, or null. Nothing without a map. Unfinished once
// the computation is cancelled.
std::optional<MechanismFigures> mechanism_figures(const Problem& problem, const Trace& trace, const Trace* moved,
                                                  Compute& compute);

// The largest change of a weight in each head from one map to another (B, M, n_q, n_k); empty where their shapes
// differ.
std::vector<double> largest_changes(const Tensor& map, const Tensor& other);

// How many of its rows are not sums of others, to the rounding of float32 numbers: by QR with column pivoting, the
// columns whose rest is above n · 2⁻²³ of the largest (Golub and Van Loan, Matrix Computations, section 5.4.2; the
// bound as in numpy.linalg.matrix_rank). rows × columns, row by row.
Index matrix_rank(const float* matrix, Index rows, Index columns, Compute& compute);

}  // namespace headlight
