// Results whose rows come from the same rows of the one before: scores, scaled scores, masked scores, weights, outputs
// of heads. They are made together, some rows at a time through all of them while these are in cache, instead of each
// as a whole map.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/math/extent.h"
#include "engine/ops/operation.h"

namespace headlight {

// Rows in pieces of work: so many that the numbers of one result stay near a core. `sharing` rows are multiplied with
// one matrix: no piece mixes rows of two matrices unless it has all rows of both, and none is so short that packing the
// matrix would cost more than the products.
class RowPieces {
 public:
  // Of each of `items` parts of `rows`, which are a whole number of times `sharing`. `length`: numbers of the longest
  // row.
  RowPieces(Index rows, Index items, Index length, Index sharing);

  Index count() const { return items_ * parts_ * pieces_; }
  Index item(Index piece) const { return piece / (parts_ * pieces_); }
  Index begin(Index piece) const { return piece / pieces_ * part_ + piece % pieces_ * step_; }
  Index end(Index piece) const;

 private:
  Index items_;
  Index part_;    // rows that are cut evenly
  Index parts_;   // of an item
  Index step_;    // rows of a piece, of which the last of a part may have fewer
  Index pieces_;  // of a part
};

class RowChain {
 public:
  bool empty() const { return links_.empty(); }
  // Whether so many rows of `id` are what was added last.
  bool ends_with(std::string_view id, Index rows) const;
  // `to` holds `count` rows of `width` numbers, and stays where it is until run(). `seen` as in Operation; may be null.
  void add(std::string id, const Operation::Rows& rows, Index count, Index width, float* to,
           std::shared_ptr<const math::VisibleBlocks> seen = {});
  // Makes them all and is empty again. For each in the order of adding: what the numbers of each of `items` equal parts
  // span.
  std::vector<std::vector<Extent>> run(Compute& compute, Index items);
  // What makes them all at any later time, as often as it is called.
  std::function<void(Compute& compute)> replay(Index items) const;

 private:
  struct Link {
    std::string id;
    Operation::Rows::Run run;
    std::shared_ptr<const math::VisibleBlocks> seen;
    Index width;
    float* to;
  };
  std::vector<Link> links_;
  Index rows_ = 0;
  Index length_ = 1;   // of the longest row that is read or written
  Index sharing_ = 1;  // rows that meet one matrix
};

}  // namespace headlight
