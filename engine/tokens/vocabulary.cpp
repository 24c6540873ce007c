#include "engine/tokens/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/words.h"

namespace headlight {

Result<Vocabulary> Vocabulary::create(std::vector<VocabularyEntry> entries) {
  if (entries.empty()) return fail("the vocabulary has no tokens");
  // Numbers may be left out, but not so many that a few tokens fill the memory.
  const auto limit = std::min<std::int64_t>(most_tokens, 4 * static_cast<std::int64_t>(entries.size()) + (1 << 16));
  std::int64_t last = 0;
  for (const VocabularyEntry& entry : entries) {
    if (entry.id < 0 || entry.id >= limit)
      return fail("the vocabulary gives \"{}\" the id {}: of {} tokens it must be from 0 to {}", brief(entry.token),
                  entry.id, entries.size(), limit - 1);
    last = std::max(last, entry.id);
  }
  Vocabulary made;
  made.tokens_.resize(static_cast<std::size_t>(last) + 1);
  made.taken_.resize(made.tokens_.size());
  made.ids_.reserve(entries.size());
  for (VocabularyEntry& entry : entries) {
    const auto id = static_cast<std::size_t>(entry.id);
    if (made.taken_[id])
      return fail("the vocabulary gives the id {} to \"{}\" and to \"{}\"", id, brief(made.tokens_[id]),
                  brief(entry.token));
    made.taken_[id] = true;
    made.tokens_[id] = std::move(entry.token);
    made.ids_[made.tokens_[id]] = static_cast<std::int32_t>(id);
  }
  return made;
}

std::optional<std::int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

const std::string* Vocabulary::token(std::int32_t id) const {
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < tokens_.size() && taken_[at] ? &tokens_[at] : nullptr;
}

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

Result<PrefixTree> make_tree(const Vocabulary& vocabulary) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20, longest = 1000;  // time grows with the longest
  std::size_t bytes = 0;
  std::vector<PrefixTree::Word> words;
  for (std::int32_t id = 0; id <= vocabulary.last(); ++id) {
    const std::string* token = vocabulary.token(id);
    if (!token) continue;
    words.emplace_back(*token, id);
    if (token->size() > longest)
      return fail("\"{}\" has {} bytes; tokens of at most {} are read", brief(*token), token->size(), longest);
    bytes += token->size();
    if (bytes > most_bytes) return fail("the vocabulary's tokens have more than {} million bytes", most_bytes >> 20);
  }
  return PrefixTree(std::move(words));
}

}  // namespace headlight
