#include "engine/tokens/prefix_tree.h"

#include <algorithm>
#include <cstring>

namespace headlight {

PrefixTree::PrefixTree(std::vector<Word> words) {
  std::ranges::stable_sort(words, {}, &Word::first);
  struct Node {  // the sorted words [begin, end) share their first `depth` bytes
    std::uint32_t begin, end;
  };
  std::vector<Node> row{{0, static_cast<std::uint32_t>(words.size())}};
  labels_ = {0};
  words_ = {-1};
  for (std::size_t depth = 0; !row.empty(); ++depth) {
    std::vector<Node> below;
    for (const auto& [begin, end] : row) {
      const auto node = firsts_.size();
      firsts_.push_back(static_cast<std::uint32_t>(labels_.size()));
      for (auto at = begin; at < end;) {
        if (words[at].first.size() == depth) {  // stands before those that go on
          if (depth > 0) words_[node] = words[at].second;
          ++at;
          continue;
        }
        const char label = words[at].first[depth];
        const auto first = at;
        while (at < end && words[at].first[depth] == label) ++at;
        labels_.push_back(static_cast<unsigned char>(label));
        words_.push_back(-1);
        below.push_back({first, at});
      }
    }
    row = std::move(below);
  }
  firsts_.push_back(static_cast<std::uint32_t>(labels_.size()));
}

std::uint32_t PrefixTree::child(std::uint32_t node, unsigned char label) const {
  const auto first = firsts_[node];
  const auto count = firsts_[node + 1] - first;
  const void* found = count == 0 ? nullptr : std::memchr(labels_.data() + first, label, count);
  return found ? static_cast<std::uint32_t>(static_cast<const unsigned char*>(found) - labels_.data()) : 0;
}

std::uint32_t PrefixTree::place(std::string_view beginning) const {
  std::uint32_t node = 0;
  for (const char c : beginning) {
    node = child(node, static_cast<unsigned char>(c));
    if (node == 0) return none;
  }
  return node;
}

}  // namespace headlight
