// Words by their first bytes: which of them a text begins with, in one walk along the text.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace headlight {

class PrefixTree {
 public:
  using Word = std::pair<std::string_view, std::int32_t>;  // and what it stands for, at least 0

  PrefixTree() : PrefixTree(std::vector<Word>()) {}
  // Takes time and memory in proportion to the words' bytes, about 13 of each. Empty words are left out; of equal ones
  // the last counts.
  explicit PrefixTree(std::vector<Word> words);

  // Calls found(size, what) for every word that `text` begins with, the shortest first.
  template <class Found>
  void walk(std::string_view text, Found found) const {
    walk_from(0, text, found);
  }
  // The same for what follows a beginning, of which place() says where it leads.
  template <class Found>
  void walk_from(std::uint32_t node, std::string_view text, Found found) const {
    for (std::size_t size = 1; size <= text.size(); ++size) {
      node = child(node, static_cast<unsigned char>(text[size - 1]));
      if (node == 0) return;
      if (words_[node] >= 0) found(size, words_[node]);
    }
  }
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  // Where a beginning leads, 0 for an empty one; `none` where no word begins so.
  std::uint32_t place(std::string_view beginning) const;

 private:
  // 0 where there is none.
  std::uint32_t child(std::uint32_t node, unsigned char label) const;

  // Children of a node lie side by side, in order of their labels, from firsts_[node] to firsts_[node + 1].
  std::vector<std::uint32_t> firsts_;
  std::vector<unsigned char> labels_;
  std::vector<std::int32_t> words_;
};

}  // namespace headlight
