#include "engine/variants/row_chain.h"

#include <algorithm>
#include <utility>

namespace headlight {

namespace {

constexpr Index piece = 1 << 14;  // numbers of one result: with those before and after it, what a core keeps near

}  // namespace

bool RowChain::ends_with(std::string_view id, Index rows) const {
  return !links_.empty() && links_.back().id == id && rows_ == rows;
}

void RowChain::add(std::string id, Operation::Rows::Run run, Index rows, Index width, float* to) {
  rows_ = rows;
  links_.push_back({std::move(id), std::move(run), width, to});
}

std::vector<std::vector<Extent>> RowChain::run(Compute& compute, Index items) {
  const std::vector<Link> links = std::exchange(links_, {});
  std::vector<std::vector<Extent>> extents(links.size(), std::vector<Extent>(static_cast<std::size_t>(items)));
  const Index widest = links.empty() ? 1 : std::ranges::max(links, {}, &Link::width).width;
  const Index each = rows_ / items, step = std::max<Index>(1, piece / std::max<Index>(1, widest));
  const Index pieces = (each + step - 1) / step;  // of an item
  std::vector<Extent> found(links.size() * static_cast<std::size_t>(items * pieces));
  compute.parallel(items * pieces, 1, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const Index begin = p / pieces * each + p % pieces * step, end = std::min(begin + step, (p / pieces + 1) * each);
      for (std::size_t i = 0; i < links.size(); ++i) {
        const Link& link = links[i];
        link.run(begin, end, link.to);
        found[static_cast<std::size_t>(p) * links.size() + i] =
            extent_of({link.to + begin * link.width, static_cast<std::size_t>((end - begin) * link.width)});
      }
    }
  });
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::size_t i = k % links.size(),
                      item = k / links.size() / static_cast<std::size_t>(std::max<Index>(1, pieces));
    extents[i][item] = united(extents[i][item], found[k]);
  }
  return extents;
}

}  // namespace headlight
