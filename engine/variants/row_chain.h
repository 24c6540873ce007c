// Results whose rows come from the same rows of the one before: scaled scores, masked scores, weights. They are made
// together, some rows at a time through all of them while these are in cache, instead of each as a whole map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/ops/operation.h"
#include "engine/trace/extent.h"

namespace headlight {

class RowChain {
 public:
  bool empty() const { return links_.empty(); }
  // Whether so many rows of `id` are what was added last.
  bool ends_with(std::string_view id, Index rows) const;
  // `to` holds `rows` rows of `width` numbers, and stays where it is until run().
  void add(std::string id, Operation::Rows::Run run, Index rows, Index width, float* to);
  // Makes them all and is empty again. For each in the order of adding: what the numbers of each of `items` equal parts
  // span.
  std::vector<std::vector<Extent>> run(Compute& compute, Index items);

 private:
  struct Link {
    std::string id;
    Operation::Rows::Run run;
    Index width;
    float* to;
  };
  std::vector<Link> links_;
  Index rows_ = 0;
};

}  // namespace headlight
