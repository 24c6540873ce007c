#include "engine/run/map_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "engine/base/words.h"
#include "engine/run/labels.h"
#include "engine/tokens/readable.h"

namespace headlight {

namespace {

using PositionList = std::vector<Index>;

PositionList all_positions(Index count) {
  PositionList all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::shared_ptr<const Tensor> sub_map(const Tensor& layer, const PositionList& queries, const PositionList& keys) {
  const Index maps = layer.dim(0) * layer.dim(1), n_q = layer.dim(2), n_k = layer.dim(3);
  auto result = std::make_shared<Tensor>(Tensor::uninitialized(
      {layer.dim(0), layer.dim(1), static_cast<Index>(queries.size()), static_cast<Index>(keys.size())}));
  float* to = result->data();
  for (Index of = 0; of < maps; ++of)
    for (const Index i : queries)
      for (const Index j : keys) *to++ = layer[(of * n_q + i) * n_k + j];
  return result;
}

// The lists of words of what is kept, where they name all.
Status keep_words(TokenList& tokens, Index count, const PositionList& positions, const std::filesystem::path& folder,
                  const std::string& key) {
  if (tokens.empty()) return {};
  auto lists = read_tokens(tokens, folder);
  if (!lists) return fail("{}: {}", key, lists.error().message);
  for (auto& list : *lists) {
    if (static_cast<Index>(list.size()) != count) continue;
    std::vector<std::string> words;
    for (const Index i : positions) words.push_back(list[static_cast<std::size_t>(i)]);
    list = std::move(words);
  }
  tokens = {{}, std::move(*lists)};
  return {};
}

// Which word each position is a piece of: the same in all items.
Result<std::vector<std::size_t>> words_in(const TokenList& tokens, Index count, const std::string& where,
                                          const std::string& key) {
  std::vector<std::size_t> words;
  for (const auto& list : tokens.lists) {
    if (static_cast<Index>(list.size()) != count)
      return fail("{}.{} has {} tokens, but there are {} positions: pieces words needs one for each", where, key,
                  list.size(), count);
    auto of_item = words_of_pieces(list);
    if (of_item.empty())
      return fail(
          "{}.pieces words: no token of {} has a mark of its vocabulary (Ġ, ▁, ## or </w>), so where words begin is "
          "not known",
          where, key);
    if (!words.empty() && of_item != words)
      return fail("{}.pieces words: the items of the batch have words of different pieces: give one of them", where);
    words = std::move(of_item);
  }
  return words;
}

void join_words(TokenList& tokens, const std::vector<std::size_t>& words) {
  for (auto& list : tokens.lists) {
    const auto plain = readable_tokens({list}).front();
    std::vector<std::string> whole(words.back() + 1);
    for (std::size_t i = 0; i < plain.size(); ++i) whole[words[i]] += plain[i];
    for (std::string& word : whole)
      if (constexpr std::string_view space = "·"; word.starts_with(space) && word.size() > space.size())
        word.erase(0, space.size());
    list = std::move(whole);
  }
}

// Queries averaged over the pieces of a word, keys added up; none: as they are.
std::shared_ptr<const Tensor> by_words(const Tensor& layer, const std::vector<std::size_t>& of_queries,
                                       const std::vector<std::size_t>& of_keys) {
  const Index maps = layer.dim(0) * layer.dim(1), n_q = layer.dim(2), n_k = layer.dim(3);
  const auto count = [](const auto& words, Index all) {
    return words.empty() ? all : static_cast<Index>(words.back()) + 1;
  };
  const auto word = [](const auto& words, Index i) {
    return words.empty() ? i : static_cast<Index>(words[static_cast<std::size_t>(i)]);
  };
  const Index rows = count(of_queries, n_q), columns = count(of_keys, n_k);
  std::vector<double> pieces(static_cast<std::size_t>(rows), 0);
  for (Index i = 0; i < n_q; ++i) ++pieces[static_cast<std::size_t>(word(of_queries, i))];
  auto result = std::make_shared<Tensor>(Tensor::uninitialized({layer.dim(0), layer.dim(1), rows, columns}));
  std::vector<double> sums(static_cast<std::size_t>(rows * columns));
  for (Index of = 0; of < maps; ++of) {
    std::ranges::fill(sums, 0.0);
    for (Index i = 0; i < n_q; ++i)
      for (Index j = 0; j < n_k; ++j)
        sums[static_cast<std::size_t>(word(of_queries, i) * columns + word(of_keys, j))] +=
            layer[(of * n_q + i) * n_k + j];
    for (Index i = 0; i < rows * columns; ++i)
      (*result)[of * rows * columns + i] =
          static_cast<float>(sums[static_cast<std::size_t>(i)] / pieces[static_cast<std::size_t>(i / columns)]);
  }
  return result;
}

PositionList complement(const PositionList& kept_ones, Index count) {
  PositionList left;
  for (Index i = 0; i < count; ++i)
    if (std::ranges::find(kept_ones, i) == kept_ones.end()) left.push_back(i);
  return left;
}

// Whole words in place of their pieces, where labels ask for them.
Status join_pieces(GivenMaps& maps, ArrayLabels& labels, bool square, const std::string& where,
                   const std::string& file) {
  const Tensor& layer = *maps.layers.front();
  if (!labels.picture.empty() || !labels.key_picture.empty())
    return fail("{}.pieces words is of tokens of a text: leave the picture out", where);
  if (labels.tokens.empty() && labels.key_tokens.empty())
    return fail("{}.pieces words needs tokens, which say where words begin", where);
  std::vector<std::size_t> of_queries, of_keys;
  if (!labels.tokens.empty()) {
    HL_TRY(of_queries, words_in(labels.tokens, layer.dim(2), where, "tokens"));
  }
  if (!labels.key_tokens.empty()) {
    HL_TRY(of_keys, words_in(labels.key_tokens, layer.dim(3), where, "key_tokens"));
  } else if (square) {
    of_keys = of_queries;
  }
  for (auto& each : maps.layers) each = by_words(*each, of_queries, of_keys);
  if (!of_queries.empty()) join_words(labels.tokens, of_queries);
  if (!labels.key_tokens.empty()) join_words(labels.key_tokens, of_keys);
  labels.raw_tokens = true;  // they are words now
  maps.notices.push_back(
      fmt::format("{}: the pieces of a word are one position: its keys are added up, its queries averaged", file));
  return {};
}

}  // namespace

Result<std::vector<Index>> positions_in(std::string_view text, Index count, const std::string& key) {
  const auto refuse = [&] {
    return fail("{} is {}: it must be numbers from 0 to {}, such as 0-8 or 0,3-5", key, brief(text), count - 1);
  };
  std::vector<Index> found;
  for (const std::string_view part : split(text, ",")) {
    const char* end = part.data() + part.size();
    Index first = 0;
    auto parsed = std::from_chars(part.data(), end, first);
    if (parsed.ec != std::errc()) return refuse();
    Index last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') parsed = std::from_chars(parsed.ptr + 1, end, last);
    if (parsed.ec != std::errc() || parsed.ptr != end || first < 0 || last < first || last >= count) return refuse();
    for (Index i = first; i <= last; ++i) {
      if (static_cast<Index>(found.size()) >= count) return refuse();
      found.push_back(i);
    }
  }
  std::vector<Index> sorted = found;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    return fail("{} is {}: it names a position twice", key, brief(text));
  return found;
}

std::string ranges_in_words(const std::vector<Index>& numbers) {
  std::string words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    words += fmt::format("{}{}", words.empty() ? "" : ", ", numbers[i]);
    if (last > i) words += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return words;
}

Result<ArrayLabels> choose_positions(GivenMaps& maps, const ArrayLabels& labels, const std::filesystem::path& folder,
                                     const std::string& where, const std::string& file) {
  ArrayLabels chosen = labels;
  if (!labels.selects_positions()) return chosen;
  const Index n_q = maps.layers.front()->dim(2), n_k = maps.layers.front()->dim(3);
  const bool square = n_q == n_k;
  PositionList queries = all_positions(n_q), keys = all_positions(n_k);
  if (!labels.positions.empty()) {
    HL_TRY(queries, positions_in(labels.positions, n_q, where + ".positions"));
    if (square) keys = queries;
  }
  if (!labels.key_positions.empty()) {
    HL_TRY(keys, positions_in(labels.key_positions, n_k, where + ".key_positions"));
  }
  if (square && queries.size() == keys.size() && queries != keys)
    return fail(
        "{}.key_positions keeps as many positions as positions does, but others, and equal numbers are taken for "
        "the same positions: keep one more or fewer",
        where);
  const bool fewer = static_cast<Index>(queries.size()) < n_q || static_cast<Index>(keys.size()) < n_k;
  for (auto& layer : maps.layers) layer = sub_map(*layer, queries, keys);
  if (fewer) {
    maps.query_grid.reset();
    maps.key_grid.reset();
    const bool alike = square && queries == keys;
    std::string out;
    if (static_cast<Index>(queries.size()) < n_q)
      out = fmt::format("{} {}", alike ? "positions" : "queries", ranges_in_words(complement(queries, n_q)));
    if (!alike && static_cast<Index>(keys.size()) < n_k)
      out += fmt::format("{}keys {}", out.empty() ? "" : " and ", ranges_in_words(complement(keys, n_k)));
    maps.notices.push_back(fmt::format(
        "{}: {} are left out: rows are the weights that are left, and normalize rows makes them add up to 1", file,
        out));
  }
  HL_CHECK(keep_words(chosen.tokens, n_q, queries, folder, where + ".tokens"));
  // Keys that have no words of their own and are no longer the queries keep those that were theirs.
  if (chosen.key_tokens.empty() && square && queries != keys) chosen.key_tokens = labels.tokens;
  HL_CHECK(keep_words(chosen.key_tokens, n_k, keys, folder, where + ".key_tokens"));
  if (labels.whole_words) HL_CHECK(join_pieces(maps, chosen, square && queries == keys, where, file));
  chosen.positions.clear();
  chosen.key_positions.clear();
  chosen.whole_words = false;
  return chosen;
}

namespace {

// Keys of an item of the batch without any weight, where others have some.
PositionList unseen_keys(const GivenMaps& maps, Index item) {
  const Index n = maps.layers.front()->dim(3);
  PositionList unseen = all_positions(n);
  for (const auto& layer : maps.layers) {
    const Index rows = layer->size() / n / layer->dim(0);
    for (Index row = item * rows; row < (item + 1) * rows && !unseen.empty(); ++row)
      std::erase_if(unseen, [&](Index j) { return (*layer)[row * n + j] != 0; });
  }
  return static_cast<Index>(unseen.size()) == n ? PositionList{} : unseen;
}

}  // namespace

std::string unseen_keys_in_words(const GivenMaps& maps, const std::string& file) {
  const Index items = maps.layers.front()->dim(0);
  const PositionList unseen = unseen_keys(maps, 0);
  std::vector<std::string> by_item;
  bool alike = true;
  for (Index item = 0; item < items; ++item) {
    const PositionList of_item = unseen_keys(maps, item);
    alike = alike && of_item == unseen;
    if (!of_item.empty()) by_item.push_back(fmt::format("{} of item {}", ranges_in_words(of_item), item));
  }
  if (by_item.empty()) return {};
  if (!alike)
    return fmt::format(
        "{}: keys {} have no weight in any head: if they are padding, tokens that say so ([PAD]) keep "
        "their rows out of measures",
        file, brief_list(by_item));
  const bool one = unseen.size() == 1;
  return fmt::format("{}: {} {} {} no weight in any head: if {} padding, positions (--positions) leaves {} out", file,
                     one ? "key" : "keys", ranges_in_words(unseen), one ? "has" : "have", one ? "it is" : "they are",
                     one ? "it" : "them");
}

}  // namespace headlight
