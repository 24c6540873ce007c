// What tokens a model knows and by which number, and the tree in which they are looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace headlight {

struct VocabularyEntry {
  std::string token;
  std::int64_t id = 0;
  double score = 0;  // natural logarithm of its probability, in unigram models
};

class Vocabulary {
 public:
  static constexpr std::int64_t most_tokens = (1 << 24) - 1;

  // Errors: ids below 0, given twice, or far above the number of tokens; no token at all.
  static Result<Vocabulary> create(std::vector<VocabularyEntry> entries);

  std::optional<std::int32_t> find(std::string_view token) const;
  // nullptr where no token has that number.
  const std::string* token(std::int32_t id) const;
  std::size_t size() const { return ids_.size(); }
  std::int32_t last() const { return static_cast<std::int32_t>(tokens_.size()) - 1; }

 private:
  std::vector<std::string> tokens_;                         // by id
  std::vector<bool> taken_;                                 // by id
  std::unordered_map<std::string_view, std::int32_t> ids_;  // views of tokens_, whose strings stay where they are
};

// Words by their first bytes: which of them a text begins with, in one walk along the text.
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

// All tokens of a vocabulary. Errors: more bytes than a tree is made of, in one of them or in all.
Result<PrefixTree> make_tree(const Vocabulary& vocabulary);

}  // namespace headlight
