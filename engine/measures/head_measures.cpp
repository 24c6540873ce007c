#include "engine/measures/head_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "engine/inputs/text.h"
#include "engine/measures/head_outputs.h"

namespace headlight {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, measure_count> ids{"entropy",   "effective_keys", "confidence", "distance",
                                                          "self",      "previous",       "first",      "same",
                                                          "induction", "special",        "share",      "ablation"};

// Where the numbers of an axis of a tensor lie: nothing of it is one position.
struct Along {
  Index size = 1, stride = 0;
};

Along along(const Step& step, AxisRole role) {
  const auto& axes = step.info.axes;
  const auto found = std::ranges::find(axes, role, role_along);
  if (found == axes.end()) return {};
  Along result{found->size, 1};
  for (auto later = found + 1; later != axes.end(); ++later) result.stride *= later->size;
  return result;
}

// How the places of queries and keys compare.
enum class Places { unlike, alike, window };

bool same_grid(const Grid& a, const Grid& b) {
  return a.frames == b.frames && a.rows == b.rows && a.columns == b.columns;
}

Places places_of(const Axis& queries, const Axis& keys) {
  if (keys.window && keys.grid) return Places::window;
  if (queries.only && queries.grid && keys.grid && same_grid(*queries.grid, *keys.grid)) return Places::alike;
  return queries.size == keys.size && !queries.only ? Places::alike : Places::unlike;
}

struct At {
  double frame = 0, row = 0, column = 0;
};

At at_of(const Grid& grid, Index position) {
  return {static_cast<double>(position / (grid.rows * grid.columns)),
          static_cast<double>(position / grid.columns % grid.rows), static_cast<double>(position % grid.columns)};
}

// Everything about rows that does not depend on their weights.
struct Measured {
  Along batches, heads, queries, keys;
  Places places = Places::unlike;
  Index first_query = 0;  // where the one query stands that was computed
  std::optional<Grid> grid = {};
  std::optional<PlacedGrid> placed = {};  // of queries and keys, where some lie on a grid and others beside it
  ReadRows rows = ReadRows::as_shares;
  // Equal numbers are equal tokens: one list for each batch item, or one for all; none where there are no tokens.
  std::vector<std::vector<Index>> query_tokens, key_tokens;
  std::vector<Index> special;  // keys that stand for no text

  double distance(Index i, Index j) const {
    if (placed) {
      const At query = at_of(placed->grid, i - placed->offset), key = at_of(placed->grid, j - placed->offset);
      return std::hypot(key.frame - query.frame, key.row - query.row, key.column - query.column);
    }
    if (!grid) return std::abs(static_cast<double>(i - j));
    const At key = at_of(*grid, j);
    const At query = places == Places::window
                         ? At{0, static_cast<double>(grid->rows / 2), static_cast<double>(grid->columns / 2)}
                         : at_of(*grid, i);
    return std::hypot(key.frame - query.frame, key.row - query.row, key.column - query.column);
  }
  // Whether a position has a place to measure from.
  bool has_place(Index position) const { return !placed || placed->holds(position); }
  // Which key of its row is the query itself; −1 where none is known to be.
  Index own(Index i) const {
    if (places == Places::window) return grid->rows / 2 * grid->columns + grid->columns / 2;
    return places == Places::alike ? i : -1;
  }
};

Measured measured_of(const Step& map) {
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  Measured s;
  s.batches = along(map, AxisRole::batch), s.heads = along(map, AxisRole::head);
  s.queries = along(map, AxisRole::query), s.keys = along(map, AxisRole::key);
  s.places = places_of(queries, keys);
  s.first_query = queries.only.value_or(0);
  s.grid = keys.grid;
  if (s.places == Places::alike) s.placed = keys.placed;
  if (queries.labels.empty() || keys.labels.empty() || s.places == Places::window) return s;
  std::map<std::string, Index, std::less<>> known;
  const auto number = [&](const std::string& label) {
    return known.emplace(word_folded(label), static_cast<Index>(known.size())).first->second;
  };
  const auto exact = [&](const std::string& label) {
    return known.emplace(label, static_cast<Index>(known.size())).first->second;
  };
  // Words that somebody gave are tokens of a vocabulary: "The" and "the" are two.
  const bool given = !queries.given_labels.empty() && !keys.given_labels.empty();
  const auto numbers = [&](const Axis& axis) {
    std::vector<std::vector<Index>> lists;
    const auto labels = given ? axis.given_labels : std::vector<std::vector<std::string>>{axis.labels};
    for (const auto& list : labels) {
      lists.emplace_back();
      for (const auto& label : list) lists.back().push_back(given ? exact(label) : number(label));
    }
    return lists;
  };
  s.query_tokens = numbers(queries);
  s.key_tokens = numbers(keys);
  for (std::size_t j = 0; j < keys.labels.size(); ++j)
    if (keys.labels[j] == start_token_text) s.special.push_back(static_cast<Index>(j));
  return s;
}

struct Mean {
  double sum = 0;
  Index count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : nan; }
};

struct OfOneHead {
  std::array<Mean, measure_count> means;
  Index rows_without_key = 0, rows_not_shares = 0;

  Mean& operator[](Measure measure) { return means[static_cast<std::size_t>(measure)]; }
};

// What needs no places.
void add_spread(const Measured& s, const float* row, double sum, OfOneHead& head) {
  double magnitude = 0, greatest = 0, entropy = 0;
  bool negative = false;
  for (Index j = 0; j < s.keys.size; ++j) {
    const double w = row[j * s.keys.stride];
    negative |= w < 0;
    magnitude += std::abs(w);
    greatest = std::isnan(w) ? w : std::max(greatest, std::abs(w));
  }
  const bool adds_up = !negative && std::abs(sum - 1) <= share_tolerance;
  const bool shares = adds_up || s.rows == ReadRows::as_they_are;
  head.rows_not_shares += !adds_up;
  for (Index j = 0; j < s.keys.size; ++j) {
    const double w = std::abs(static_cast<double>(row[j * s.keys.stride])), p = shares ? w : w / magnitude;
    if (p != 0) entropy -= p * std::log(p);
  }
  head[Measure::entropy].add(entropy);
  head[Measure::effective_keys].add(std::exp(entropy));
  head[Measure::confidence].add(std::isnan(sum) ? nan : greatest);
}

void add_places(const Measured& s, const float* row, Index i, OfOneHead& head) {
  if (s.places == Places::unlike) return;
  double far = 0, magnitude = 0;
  for (Index j = 0; j < s.keys.size && s.has_place(i); ++j) {
    if (!s.has_place(j)) continue;
    const double w = std::abs(static_cast<double>(row[j * s.keys.stride]));
    far += w * s.distance(i, j);
    magnitude += w;
  }
  if (s.has_place(i) && (magnitude > 0 || !s.placed)) head[Measure::distance].add(far / magnitude);
  head[Measure::self].add(row[s.own(i) * s.keys.stride]);
  if (s.places == Places::window || i == 0) return;
  head[Measure::previous].add(row[(i - 1) * s.keys.stride]);
  head[Measure::first].add(row[0]);
}

void add_tokens(const Measured& s, const float* row, Index item, Index i, OfOneHead& head) {
  if (s.key_tokens.empty()) return;
  if (!s.special.empty()) {
    double sum = 0;
    for (const Index j : s.special) sum += row[j * s.keys.stride];
    head[Measure::special].add(sum);
  }
  if (s.places != Places::alike) return;
  const auto token = [item](const std::vector<std::vector<Index>>& of, Index at) {
    return of[of.size() > 1 ? static_cast<std::size_t>(item) : 0][static_cast<std::size_t>(at)];
  };
  const Index own = token(s.query_tokens, i - s.first_query);
  double same = 0, after = 0;
  bool any_same = false, any_after = false;
  for (Index j = 0; j < s.keys.size; ++j) {
    const double w = row[j * s.keys.stride];
    if (j != i && token(s.key_tokens, j) == own) same += w, any_same = true;
    if (j >= 1 && j < i && token(s.key_tokens, j - 1) == own) after += w, any_after = true;
  }
  if (any_same) head[Measure::same].add(same);
  if (any_after) head[Measure::induction].add(after);
}

OfOneHead measure_head(const Measured& s, const float* of_head, const Compute& compute) {
  OfOneHead head;
  for (Index b = 0; b < s.batches.size; ++b)
    for (Index q = 0; q < s.queries.size && !compute.cancelled(); ++q) {
      const float* row = of_head + b * s.batches.stride + q * s.queries.stride;
      double sum = 0;
      bool any = false;
      for (Index j = 0; j < s.keys.size; ++j) {
        const float w = row[j * s.keys.stride];
        any |= w != 0;
        sum += w;
      }
      head.rows_without_key += !any;
      if (!any) continue;
      add_spread(s, row, sum, head);
      add_places(s, row, q + s.first_query, head);
      add_tokens(s, row, b, q + s.first_query, head);
    }
  return head;
}

// Why no head has a number.
Missing why_missing(const Measured& s, Measure measure) {
  const bool of_places = measure == Measure::distance || measure == Measure::self || measure == Measure::previous ||
                         measure == Measure::first || measure == Measure::same || measure == Measure::induction;
  const bool of_tokens = measure == Measure::same || measure == Measure::induction || measure == Measure::special;
  if (of_places && s.places == Places::unlike) return Missing::as_many;
  if (s.places == Places::window && (of_places || of_tokens)) return Missing::window;
  if (of_tokens && s.key_tokens.empty()) return Missing::tokens;
  if (measure == Measure::special && s.special.empty()) return Missing::special_tokens;
  if (measure == Measure::same || measure == Measure::induction) return Missing::such_keys;
  if ((measure == Measure::previous || measure == Measure::first) && s.queries.size == 1) return Missing::second_query;
  return Missing::visible_keys;
}

}  // namespace

std::string_view id_of(Measure measure) {
  return ids[static_cast<std::size_t>(measure)];
}

std::optional<Measure> measure_by_id(std::string_view id) {
  const auto found = std::ranges::find(ids, id);
  if (found == ids.end()) return std::nullopt;
  return static_cast<Measure>(found - ids.begin());
}

std::optional<HeadMeasures> measure_heads(const Trace& trace, Compute& compute) {
  const Step* map = trace.map();
  if (!map) return std::nullopt;
  return measure_heads(trace, *map, compute);
}

HeadMeasures measure_heads(const Trace& trace, const Step& map, Compute& compute, ReadRows rows) {
  Measured s = measured_of(map);
  s.rows = rows;
  std::vector<OfOneHead> heads(static_cast<std::size_t>(s.heads.size));
  compute.parallel(s.heads.size, 1, [&](Index begin, Index end) {
    for (Index m = begin; m < end; ++m)
      heads[static_cast<std::size_t>(m)] = measure_head(s, map.tensor().data() + m * s.heads.stride, compute);
  });
  HeadMeasures result{
      .heads = s.heads.size, .keys = s.keys.size, .rows = s.batches.size * s.heads.size * s.queries.size, .of = {}};
  for (std::size_t k = 0; k < measure_count; ++k) {
    for (const OfOneHead& head : heads) result.of[k].values.push_back(head.means[k].value());
    const bool none = std::ranges::all_of(heads, [&](const OfOneHead& head) { return head.means[k].count == 0; });
    if (none) result.of[k].missing = why_missing(s, static_cast<Measure>(k));
  }
  for (const OfOneHead& head : heads) {
    result.rows_without_key += head.rows_without_key;
    result.rows_not_shares += head.rows_not_shares;
  }
  result[Measure::ablation].missing = head_outputs(trace) ? Missing::runs : Missing::head_outputs;
  OfHeads& share = result[Measure::share];
  share.missing = Missing::head_outputs;
  if (auto shares = shares_of_norm(trace, compute); shares.size() == heads.size())
    share = {std::move(shares), Missing::nothing};
  if (std::ranges::all_of(share.values, [](double v) { return std::isnan(v); }) && share.missing == Missing::nothing)
    share.missing = Missing::visible_keys;
  return result;
}

std::vector<const Step*> maps_of_layers(const Trace& trace) {
  std::vector<const Step*> found;
  for (const Step* map : trace.maps())
    if (map->info.layer && map->info.kind == Kind::probability) found.push_back(map);
  const Step* only = trace.map();
  if (found.empty() && only && !only->info.layer && only->info.kind == Kind::probability) found = {only};
  return found;
}

std::optional<Tensor> rollout(const std::vector<const Step*>& maps, Compute& compute) {
  if (maps.empty()) return std::nullopt;
  const Shape& shape = maps.front()->tensor().shape();
  if (shape.size() != 4 || shape[2] != shape[3]) return std::nullopt;
  for (const Step* map : maps)
    if (map->tensor().shape() != shape) return std::nullopt;
  const Index items = shape[0], heads = shape[1], n = shape[2], layers = static_cast<Index>(maps.size());
  Tensor result({items, layers, n, n});
  std::vector<double> before(static_cast<std::size_t>(n * n)), mixed(before), now(before);
  for (Index b = 0; b < items; ++b)
    for (Index l = 0; l < layers && !compute.cancelled(); ++l) {
      const float* of_item = maps[static_cast<std::size_t>(l)]->tensor().data() + b * heads * n * n;
      for (Index i = 0; i < n; ++i) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
          double mean = 0;
          for (Index m = 0; m < heads; ++m) mean += of_item[(m * n + i) * n + j];
          mixed[i * n + j] = mean / static_cast<double>(2 * heads) + (i == j ? 0.5 : 0);
          sum += mixed[i * n + j];
        }
        for (Index j = 0; j < n; ++j) mixed[i * n + j] /= sum;
      }
      if (l == 0) {
        now = mixed;
      } else {
        compute.parallel(n, 8, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            std::fill_n(now.begin() + i * n, n, 0.0);
            for (Index k = 0; k < n; ++k)
              for (Index j = 0; j < n; ++j) now[i * n + j] += mixed[i * n + k] * before[k * n + j];
          }
        });
      }
      std::ranges::transform(now, result.data() + (b * layers + l) * n * n,
                             [](double value) { return static_cast<float>(value); });
      before = now;
    }
  return result;
}

}  // namespace headlight
