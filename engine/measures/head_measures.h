// Measures of heads: what a map looks like, as one number a head.
//
// Pure functions of a recorded run, which is asked by role. They say nothing of what a head is for (Jain and Wallace
// 2019, Attention is not Explanation); what they are called and say to people is app/reading/head_measures.h.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/trace/trace.h"

namespace headlight {

// Each is the mean over batch items and the queries that count of the number that stands here for a query i, with w_ij
// the weight of key j in its row and t_i, t_j the tokens. A row whose weights are all 0 sees no key and counts nowhere.
// Those that compare places are there only where queries and keys are as many (n_q = n_k); a window round each query
// has `distance` and `self` alone.
enum class Measure {
  // −Σ_j w_ij ln w_ij, nats, 0 to ln n_k. All queries. Clark et al. 2019, section 3.
  entropy,
  // exp of that entropy, keys, 1 to n_k: over so many keys evenly spread weights would have it. All queries.
  effective_keys,
  // max_j w_ij, or max_j |w_ij| where a weight is negative. All queries. Voita et al. 2019, section 4.
  confidence,
  // Σ_j w_ij |i − j| / Σ_j w_ij, positions; on a grid the Euclidean distance of the cells, frames as a third
  // direction. All queries. Vig and Belinkov 2019; on a grid Dosovitskiy et al. 2021, figure 7.
  distance,
  self,      // w_ii. All queries. Clark et al. 2019, section 3.
  previous,  // w_i,i−1. Queries i ≥ 1. Clark et al. 2019, section 3.
  first,     // w_i0. Queries i ≥ 1. Xiao et al. 2023.
  same,      // Σ w_ij over j ≠ i with t_j = t_i. Queries where such j are.
  // Σ w_ij over 1 ≤ j < i with t_{j−1} = t_i. Queries where such j are. Olsson et al. 2022, prefix matching.
  induction,
  special,   // Σ w_ij over keys that stand for no text. All, where such keys are. Clark et al. 2019, section 3.2.
  share,     // of the output's norm: shares_of_norm() in head_outputs.h
  ablation,  // change in the output without the head: relative_change() in head_outputs.h, of a run of its own
};
inline constexpr std::size_t measure_count = static_cast<std::size_t>(Measure::ablation) + 1;

// "effective_keys": in files, actions and on the command line.
std::string_view id_of(Measure measure);
std::optional<Measure> measure_by_id(std::string_view id);

// Why there is no number of a measure for any head.
enum class Missing {
  nothing,         // it is there
  as_many,         // queries and keys are not as many
  window,          // keys are places round each query
  tokens,          // keys have no tokens
  such_keys,       // no query has keys of the kind
  special_tokens,  // no key stands for no text
  second_query,    // there is one query
  visible_keys,    // no row has a weight
  head_outputs,    // no step shows what heads hand on
  runs,            // its runs have not been made
};

struct OfHeads {
  std::vector<double> values;  // one a head; NaN where no query counts
  Missing missing = Missing::nothing;
};

struct HeadMeasures {
  Index heads = 1;
  Index keys = 0;              // n_k
  Index rows = 0;              // of all heads and batch items together
  Index rows_without_key = 0;  // of them, those left out
  // Rows that are no shares, for no softmax made them: of those, entropy, effective keys and distance are of
  // |w_ij| / Σ_j |w_ij|; all else is of the weights as they stand.
  Index rows_not_shares = 0;
  std::array<OfHeads, measure_count> of;

  const OfHeads& operator[](Measure measure) const { return of[static_cast<std::size_t>(measure)]; }
  OfHeads& operator[](Measure measure) { return of[static_cast<std::size_t>(measure)]; }
};

// Of the run's map; all but `ablation`, which needs runs. Nothing where the run has no map. Unfinished once the
// computation is cancelled.
std::optional<HeadMeasures> measure_heads(const Trace& trace, Compute& compute);

// How rows are read that do not add up to 1.
enum class ReadRows {
  as_shares,    // for entropy, effective keys and distance, as shares of what they add up to
  as_they_are,  // the formulas as they stand above
};
// Of another of its maps: a layer's.
HeadMeasures measure_heads(const Trace& trace, const Step& map, Compute& compute, ReadRows rows = ReadRows::as_shares);

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
