// A map as measures read it: where its numbers lie, how the places of its queries and keys compare, and one row of it.
#pragma once

#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/measures/head_measures.h"

namespace headlight {

// Where the numbers of an axis of a tensor lie: nothing of it is one position.
struct Along {
  Index size = 1, stride = 0;
};

// How the places of queries and keys compare; per_query: Axis::position_of gives each key's position for each query.
enum class Places { different, same, window, per_query };

// The list of an item, or the only one.
template <class List>
const List& list_of(const std::vector<List>& lists, Index item) {
  return lists[lists.size() > 1 ? static_cast<std::size_t>(item) : 0];
}

// Everything about rows that does not depend on their weights.
struct MeasuredMap {
  Along batches, heads, queries, keys;
  Places places = Places::different;
  Index first_query = 0;  // where the one query stands that was computed
  std::optional<Grid> grid = {};
  std::function<Index(Index query, Index key)> position_of = {};  // of Places::per_query
  std::optional<PlacedGrid> placed = {};  // of queries and keys, where some lie on a grid and others beside it
  ReadRows read = ReadRows::as_shares;
  // Equal numbers are equal tokens: one list for each batch item, or one for all or for the only one; none where there
  // are no tokens.
  std::vector<std::vector<Index>> query_tokens, key_tokens;
  std::vector<std::vector<Index>> special;  // keys that stand for no text: a list as those of tokens
  std::vector<std::vector<bool>> padding;   // of queries, as tokens; none where there is none
  bool marks_hidden = false;                // −∞ stands for a hidden key
  std::optional<Index> only_item = {};      // of the batch, where one alone is measured

  bool is_padding(Index item, Index query) const {
    return !padding.empty() && list_of(padding, item)[static_cast<std::size_t>(query)];
  }

  // Of an item; none where there are no tokens.
  std::span<const Index> special_keys(Index item) const {
    if (special.empty()) return {};
    return list_of(special, item);
  }

  double distance(Index i, Index j) const;
  // Whether a position has a place to measure from.
  bool has_place(Index position) const { return !placed || placed->holds(position); }
  // Which key of its row is the query itself; −1 where none is known to be.
  Index self_key(Index i) const;
};

// Of all items of the batch, or of one, whose tokens alone are laid out.
MeasuredMap measured_map(const Step& map, std::optional<Index> item = {});

// A query's weights, at least one of which is not 0.
struct MeasuredRow {
  const MeasuredMap& map;
  const float* weights;    // of the first key
  Index item = 0;          // of the batch
  Index query = 0;         // where it stands among the keys
  double entropy = 0;      // of the shares
  double greatest = 0;     // magnitude
  bool are_shares = true;  // whether they add up to 1, none below 0

  Index keys() const { return map.keys.size; }
  // A key that is marked as hidden has the weight 0.
  double weight(Index key) const {
    const float w = weights[key * map.keys.stride];
    return map.marks_hidden && w == -std::numeric_limits<float>::infinity() ? 0 : w;
  }
  bool has_own_place() const { return map.places != Places::different; }
  // Whether keys are tokens, each a query as well.
  bool has_own_token() const { return map.places == Places::same && !map.key_tokens.empty(); }
  Index token_of_key(Index key) const { return list_of(map.key_tokens, item)[static_cast<std::size_t>(key)]; }
  Index token_of_query() const {
    return list_of(map.query_tokens, item)[static_cast<std::size_t>(query - map.first_query)];
  }

  // The weights of those keys together; nothing where there is no such key.
  template <class Counts>
  std::optional<double> weight_of(Counts counts) const {
    std::optional<double> sum;
    for (Index j = 0; j < keys(); ++j)
      if (counts(j)) sum = sum.value_or(0) + weight(j);
    return sum;
  }
};

}  // namespace headlight
