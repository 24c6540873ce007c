#include "engine/learn/drawing.h"

#include <algorithm>
#include <utility>

namespace headlight::learn {

namespace {

template <class T, class Make>
std::vector<T> many(Index count, const Make& make) {
  std::vector<T> all(static_cast<std::size_t>(count));
  std::ranges::generate(all, make);
  return all;
}

}  // namespace

std::vector<double> Draws::uniform(Index count) {
  return many<double>(count, [this] { return random_.uniform(); });
}

std::vector<Index> Draws::integers(Index below, Index count) {
  return many<Index>(count,
                     [this, below] { return static_cast<Index>(random_.uniform() * static_cast<double>(below)); });
}

std::vector<double> Draws::normal(Index count) {
  return many<double>(count, [this] { return random_.normal(); });
}

std::vector<Index> Draws::shuffled(Index rows, Index count, Index kept) {
  std::vector<Index> all;
  all.reserve(static_cast<std::size_t>(rows * kept));
  std::vector<std::pair<double, Index>> drawn(static_cast<std::size_t>(count));
  for (Index row = 0; row < rows; ++row) {
    for (Index place = 0; place < count; ++place) drawn[static_cast<std::size_t>(place)] = {random_.uniform(), place};
    std::ranges::partial_sort(drawn, drawn.begin() + kept);
    for (Index rank = 0; rank < kept; ++rank) all.push_back(drawn[static_cast<std::size_t>(rank)].second);
  }
  return all;
}

}  // namespace headlight::learn
