// Which heads do the same: how far the rows of one head's weights lie from another's.
//
// Clark et al. 2019, What Does BERT Look At?, section 6: Σ over tokens of JS(H_i(token), H_j(token)); here the mean in
// place of the sum, so that texts of any length compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/trace/step.h"

namespace headlight {

// Jensen–Shannon divergence of two rows p and q, H((p + q)/2) − (H(p) + H(q))/2 in nats, mean over the rows that both
// heads have: 0 where they are the same, at most ln 2 where they share no key.
struct HeadDistances {
  Index heads = 0;
  std::vector<double> values;  // (heads, heads), NaN where no row counts

  double between(Index a, Index b) const { return values[static_cast<std::size_t>(a * heads + b)]; }
  // The head that lies nearest to one, the first of several; none where there is no other that can be compared.
  std::optional<Index> nearest(Index head) const;
};

// Of the heads of these maps, one map after the other: of all items of the batch together, or of one. Rows are read as
// shares of their magnitudes; rows of padding, and those without any weight, are left out. Nothing where the maps are
// not of the same queries and keys; unfinished once the computation is cancelled.
std::optional<HeadDistances> head_distances(const std::vector<const Step*>& maps, Compute& compute,
                                            std::optional<Index> item = {});

}  // namespace headlight
