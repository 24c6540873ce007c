#include "engine/variants/row_chain.h"

#include <algorithm>
#include <utility>

#include "engine/math/seen_rows.h"

namespace headlight {

namespace {

// Numbers of one result that with those before and after it a core keeps near.
constexpr Index few_numbers = 1 << 14;
// The same where they are multiplied with a matrix, and the fewest rows of such a piece.
constexpr Index many_numbers = 1 << 15, product_rows = 64;

Index pieces_of(Index extent, Index each) {
  return (extent + each - 1) / each;
}

// What rows begin to end − 1 span. Of what a row does not see, which is all one number, the first is read.
Extent extent_of_rows(const float* rows, const math::VisibleBlocks* seen, Index begin, Index end, Index width) {
  if (!seen) return extent_of({rows + begin * width, static_cast<std::size_t>((end - begin) * width)});
  Extent all;
  for (Index row = begin; row < end; ++row) {
    const float* numbers = rows + row * width;
    Index done = 0;
    const auto take = [&](Index first, Index last) {
      if (first > done) all = united(all, extent_of_equal(numbers[done], first - done));
      if (last > first) all = united(all, extent_of({numbers + first, static_cast<std::size_t>(last - first)}));
      done = last;
    };
    seen->for_each_visible(row, take);
    take(width, width);
  }
  return all;
}

}  // namespace

RowPieces::RowPieces(Index rows, Index items, Index length, Index sharing)
    : items_(items), part_(rows / items), parts_(1), step_(std::max<Index>(1, few_numbers / length)), pieces_(1) {
  if (sharing > 1) {
    step_ = std::max(product_rows, many_numbers / length);
    const Index whole = step_ / sharing * sharing;  // of all rows that share a matrix
    if (whole == 0) {
      part_ = sharing;
      parts_ = rows / items / sharing;
    }
    step_ = whole > 0 ? whole : pieces_of(sharing, pieces_of(sharing, step_));
  }
  pieces_ = pieces_of(part_, step_);
}

Index RowPieces::end(Index piece) const {
  return std::min(begin(piece) + step_, (piece / pieces_ + 1) * part_);
}

bool RowChain::ends_with(std::string_view id, Index rows) const {
  return !links_.empty() && links_.back().id == id && rows_ == rows;
}

void RowChain::add(std::string id, const Operation::Rows& rows, Index count, Index width, float* to,
                   std::shared_ptr<const math::VisibleBlocks> seen) {
  if (links_.empty()) length_ = sharing_ = 1;
  rows_ = count;
  length_ = std::max({length_, width, rows.length});
  sharing_ = std::max(sharing_, rows.sharing);
  links_.push_back({std::move(id), rows.run, std::move(seen), width, to});
}

std::function<void(Compute&)> RowChain::replay(Index items) const {
  return [links = links_, pieces = RowPieces(rows_, items, length_, sharing_)](Compute& compute) {
    compute.parallel_each(pieces.count(), 1, [&](Index p) {
      for (const Link& link : links) link.run(pieces.begin(p), pieces.end(p), link.to);
    });
  };
}

std::vector<std::vector<Extent>> RowChain::run(Compute& compute, Index items) {
  const std::vector<Link> links = std::exchange(links_, {});
  std::vector<std::vector<Extent>> extents(links.size(), std::vector<Extent>(static_cast<std::size_t>(items)));
  const RowPieces pieces(rows_, items, length_, sharing_);
  std::vector<Extent> found(links.size() * static_cast<std::size_t>(pieces.count()));
  compute.parallel_each(pieces.count(), 1, [&](Index p) {
    const Index begin = pieces.begin(p), end = pieces.end(p);
    for (std::size_t i = 0; i < links.size() && !compute.cancelled(); ++i) {
      const Link& link = links[i];
      link.run(begin, end, link.to);
      found[static_cast<std::size_t>(p) * links.size() + i] =
          extent_of_rows(link.to, link.seen.get(), begin, end, link.width);
    }
  });
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::size_t i = k % links.size();
    Extent& extent = extents[i][static_cast<std::size_t>(pieces.item(static_cast<Index>(k / links.size())))];
    extent = united(extent, found[k]);
  }
  return extents;
}

}  // namespace headlight
