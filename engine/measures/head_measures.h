// Measures of heads: what a map looks like, as one number a head.
//
// Pure functions of a recorded run, which is asked by role. They say nothing of what a head is for (Jain and Wallace
// 2019, Attention is not Explanation). Which there are: measure.h.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/measures/measure.h"
#include "engine/trace/trace.h"

namespace headlight {

struct HeadMeasures {
  Index heads = 1;
  Index keys = 0;              // n_k
  Index rows = 0;              // of all heads and batch items together
  Index rows_without_key = 0;  // of them, those left out
  Index rows_of_padding = 0;   // of them, those of padding, left out as well
  // Rows that are no shares, for no softmax made them: of those, entropy, effective keys and distance are of
  // |w_ij| / Σ_j |w_ij|; all else is of the weights as they stand.
  Index unnormalized_rows = 0;
  std::vector<HeadValues> of = std::vector<HeadValues>(all_measures().size());  // one a measure

  const HeadValues& operator[](Measure measure) const { return of[measure.place()]; }
  HeadValues& operator[](Measure measure) { return of[measure.place()]; }
};

// Of the run's map; all but `ablation`, which needs runs: of all items of the batch together, or of one. Nothing where
// the run has no map. Unfinished once the computation is cancelled.
std::optional<HeadMeasures> measure_heads(const Trace& trace, Compute& compute, std::optional<Index> item = {});

// How rows are read that do not add up to 1.
enum class ReadRows {
  as_shares,    // for entropy, effective keys and distance, as shares of what they add up to
  as_they_are,  // the formulas as they stand in the table
};
// Of another of its maps: a layer's.
HeadMeasures measure_heads(const Trace& trace, const Step& map, Compute& compute, ReadRows read = ReadRows::as_shares,
                           std::optional<Index> item = {});

// The same of each item of the batch by itself; what of the run they have in common is looked up once.
std::vector<HeadMeasures> measure_items(const Trace& trace, const Step& map, Compute& compute,
                                        ReadRows read = ReadRows::as_shares);

// The maps that belong to one layer each, in their order; the run's map alone where none does. Those whose numbers are
// no weights are left out.
std::vector<const Step*> maps_of_layers(const Trace& trace);

// Attention rollout of square maps (B, M, n, n), one a layer → (B, L, n, n): Ā_l = ½ mean_m A + ½ I, each row divided
// by its sum, R_0 = Ā_0, R_l = Ā_l R_{l−1}: how much input j reaches position i after layer l. Abnar and Zuidema 2020,
// section 3. Nothing where the maps are not square or not of one shape.
std::optional<Tensor> rollout(const std::vector<const Step*>& maps, Compute& compute);

// How far a row may add up to another number than 1 and still be shares: the rounding of a softmax over many keys.
inline constexpr double share_tolerance = 1e-3;

}  // namespace headlight
