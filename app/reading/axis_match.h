// Which positions of two runs, A and B, stand for each other: by their places, their labels, or the pixel they lie on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/reading/pixel_partners.h"
#include "app/reading/slice.h"
#include "engine/base/result.h"

namespace headlight::app {

// Positions along an axis of A and one of B that stand for each other, in their order.
struct AxisMatch {
  std::vector<Index> a, b;            // a[i] stands for b[i]
  std::vector<Index> only_a, only_b;  // without a partner
  bool by_token = false;              // found by their labels, not by their places
  // Keys of windows stand for each other by the pixel, which differs from query to query: `a` is empty then.
  std::shared_ptr<const PixelPartners> in_a = {}, in_b = {};

  Index size() const { return static_cast<Index>(b.size()); }
  bool whole() const { return only_a.empty() && only_b.empty(); }
  // `query` matters to keys of windows alone.
  std::optional<Index> partner_in_a(Index of_b, std::optional<Index> query = {}) const;
  std::optional<Index> partner_in_b(Index of_a, std::optional<Index> query = {}) const;
  // Where both stand among those that have partners.
  std::optional<Index> place_of_b(Index of_b) const;
};
// Axes of one length match place by place, keys of windows of `queries` by the pixel. Others match where they have
// labels: by a longest common subsequence of those of these items of their batches. Errors say why these two cannot be
// matched; both null match as one place.
Result<AxisMatch> match(const Axis* a, Index item_a, const Axis* b, Index item_b, const Axis* queries = nullptr);

// Queries and keys of one item of the batches of two runs; what cannot be matched is empty.
struct PositionMatch {
  AxisMatch queries, keys;
  std::string why_not;  // the first reason; empty where both could be
};
PositionMatch match_positions(const Trace& a, const Trace& b, Index item);
// The selection with its query and key as they stand in A; without those that have no partner there.
Selection partner_in_a(const PositionMatch& match, Selection of_b);
Selection partner_in_b(const PositionMatch& match, Selection of_a);

// An error where keys of one picture do not stand for each other: those of a window, of all places, or pooled ones.
Status check_keys(const Axis& a, const Axis& b);

// Positions that stand for those at the same place.
AxisMatch identity_match(Index size);

}  // namespace headlight::app
