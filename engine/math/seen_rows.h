// Maps of which much is hidden: which keys their rows see, masks, and functions that pass over what nobody sees.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/math/math.h"

namespace headlight::math {

// Which keys each row of a map sees, in blocks of keys: a block is seen where one of its keys is.
class VisibleBlocks {
 public:
  static constexpr Index block = 64;  // keys

  // The rows of a map of `shape` (B, M, n_q, n_k) see what is not `hidden` in those of `values` (B|1, M|1, n_q|1, n_k),
  // the mask that is added to them or the map itself.
  VisibleBlocks(const Tensor& values, const Shape& shape, float hidden = -std::numeric_limits<float>::infinity());

  // Calls body(begin, end) for all stretches of keys, one after the other, of which a row sees each block. They are
  // whole blocks, and the rest at the end of a row.
  template <class Body>
  void for_each_visible(Index row, const Body& body) const {
    each_stretch(blocks_of(row), body);
  }
  // The same of what one of the rows `first` to `last` − 1 sees.
  template <class Body>
  void for_each_visible(Index first, Index last, const Body& body) const {
    each_stretch(seen_by_any(first, last).data(), body);
  }

  // The row of `values` that says what a row of the map sees.
  Index row_of(Index row) const {
    return row % queries_ * query_step_ + row / queries_ % heads_ * head_step_ +
           row / (queries_ * heads_) * batch_step_;
  }

 private:
  const std::uint8_t* blocks_of(Index row) const { return seen_.data() + row_of(row) * blocks_; }
  std::vector<std::uint8_t> seen_by_any(Index first, Index last) const;
  template <class Body>
  void each_stretch(const std::uint8_t* seen, const Body& body) const {
    for (Index at = 0; at < blocks_;) {
      Index end = at;
      while (end < blocks_ && seen[end] != 0) ++end;
      if (end > at) body(at * block, end == blocks_ ? keys_ : end * block);
      at = end + 1;
    }
  }

  Index heads_, queries_, keys_, blocks_;
  Index batch_step_, head_step_, query_step_;  // 0 where one serves for all
  std::vector<std::uint8_t> seen_;             // rows of `values`, blocks
};

// scores (B, M, n_q, n_k) + mask (B|1, M|1, n_q|1, n_k), which `seen` was made of → out like scores, which it may be:
// of all B·M·n_q rows those from begin to end − 1, on the calling thread. Where the mask is −∞ the result is −∞
// whatever the score, NaN too.
void add_mask(const float* scores, const Shape& shape, const Tensor& mask, const VisibleBlocks& seen, Index begin,
              Index end, float* out);

// softmax() over rows of n of which all that is not seen is −∞.
void softmax(const float* in, const VisibleBlocks& seen, Index begin, Index end, Index n, float* out,
             const Kernels& set = kernels());

// weighted_sum() of a map that is 0 where it is not seen, or NaN with the whole row, and of a v without NaN and
// infinities. Long sums are made of 128 keys after each other, and those are passed over of which none is seen by any
// row that is summed in one piece.
void weighted_sum(const float* a, const float* v, const VisibleBlocks& seen, Index begin, Index end, Index n_q,
                  Index n_k, Index d_head, float* out, const Kernels& set = kernels());

}  // namespace headlight::math
