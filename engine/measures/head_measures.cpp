#include "engine/measures/head_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "engine/inputs/padding.h"
#include "engine/inputs/text.h"
#include "engine/measures/head_outputs.h"
#include "engine/measures/measured_map.h"

namespace headlight {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Along along(const Step& step, AxisRole role) {
  const auto& axes = step.info.axes;
  const auto found = std::ranges::find(axes, role, role_along);
  if (found == axes.end()) return {};
  Along result{found->size, 1};
  for (auto later = found + 1; later != axes.end(); ++later) result.stride *= later->size;
  return result;
}

Places places_of(const Axis& queries, const Axis& keys) {
  if (keys.window && keys.grid) return Places::window;
  if (keys.position_of && queries.grid) return Places::per_query;
  if (queries.only && queries.grid && queries.grid == keys.grid) return Places::same;
  return queries.size == keys.size && !queries.only ? Places::same : Places::different;
}

struct Coordinates {
  double frame = 0, row = 0, column = 0;
};

Coordinates coordinates(const Grid& grid, Index position) {
  return {static_cast<double>(position / (grid.rows * grid.columns)),
          static_cast<double>(position / grid.columns % grid.rows), static_cast<double>(position % grid.columns)};
}

}  // namespace

double MeasuredMap::distance(Index i, Index j) const {
  const auto between = [](const Coordinates& query, const Coordinates& key) {
    return std::hypot(key.frame - query.frame, key.row - query.row, key.column - query.column);
  };
  if (placed)
    return between(coordinates(placed->grid, i - placed->offset), coordinates(placed->grid, j - placed->offset));
  if (places == Places::per_query) return between(coordinates(*grid, i), coordinates(*grid, position_of(i, j)));
  if (!grid) return std::abs(static_cast<double>(i - j));
  if (places != Places::window) return between(coordinates(*grid, i), coordinates(*grid, j));
  return between({0, static_cast<double>(grid->rows / 2), static_cast<double>(grid->columns / 2)},
                 coordinates(*grid, j));
}

Index MeasuredMap::self_key(Index i) const {
  if (places == Places::window) return grid->rows / 2 * grid->columns + grid->columns / 2;
  for (Index j = 0; places == Places::per_query && j < keys.size; ++j)
    if (position_of(i, j) == i) return j;
  return places == Places::same ? i : -1;
}

namespace {

using Labels = std::vector<std::string>;

// Those that somebody gave: of each item, or of one.
std::span<const Labels> given_of(const Axis& axis, std::optional<Index> item) {
  const std::span<const Labels> all = axis.given_labels;
  if (!item || all.size() < 2) return all;
  return all.subspan(static_cast<std::size_t>(std::clamp<Index>(*item, 0, std::ssize(all) - 1)), 1);
}

}  // namespace

MeasuredMap measured_map(const Step& map, std::optional<Index> item) {
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  MeasuredMap s;
  s.only_item = item;
  s.batches = along(map, AxisRole::batch);
  s.heads = along(map, AxisRole::head);
  s.queries = along(map, AxisRole::query);
  s.keys = along(map, AxisRole::key);
  s.places = places_of(queries, keys);
  s.first_query = queries.only.value_or(0);
  s.marks_hidden = map.info.minus_infinity_masks;
  s.grid = s.places == Places::per_query ? queries.grid : keys.grid;
  s.position_of = keys.position_of;
  if (s.places == Places::same) s.placed = keys.placed;
  for (const Labels& list : given_of(queries, item)) s.padding.push_back(padding_among(list));
  if (queries.labels.empty() || keys.labels.empty() || s.places == Places::window || s.places == Places::per_query)
    return s;
  std::map<std::string, Index, std::less<>> known;
  const auto number = [&](const std::string& label) {
    return known.emplace(word_folded(label), static_cast<Index>(known.size())).first->second;
  };
  const auto exact = [&](const std::string& label) {
    return known.emplace(label, static_cast<Index>(known.size())).first->second;
  };
  // Words that somebody gave are tokens of a vocabulary: "The" and "the" are two.
  const bool given = !queries.given_labels.empty() && !keys.given_labels.empty();
  const auto labels_of = [&](const Axis& axis) {
    return given ? given_of(axis, item) : std::span<const Labels>(&axis.labels, 1);
  };
  const auto numbers = [&](const Axis& axis) {
    std::vector<std::vector<Index>> lists;
    for (const Labels& list : labels_of(axis)) {
      lists.emplace_back();
      for (const auto& label : list) lists.back().push_back(given ? exact(label) : number(label));
    }
    return lists;
  };
  s.query_tokens = numbers(queries);
  s.key_tokens = numbers(keys);
  for (const Labels& list : labels_of(keys)) {
    s.special.emplace_back();
    for (std::size_t j = 0; j < list.size(); ++j)
      if (stands_for_no_text(list[j])) s.special.back().push_back(static_cast<Index>(j));
  }
  return s;
}

namespace {

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
  std::vector<Mean> means = std::vector<Mean>(all_measures().size());
  Index rows_without_key = 0, rows_of_padding = 0, unnormalized_rows = 0;
};

// How spread out a row is, whose weights add up to `sum`.
void measure_spread(MeasuredRow& row, double sum) {
  double magnitude = 0, greatest = 0;
  bool negative = false;
  for (Index j = 0; j < row.keys(); ++j) {
    const double w = row.weight(j);
    negative |= w < 0;
    magnitude += std::abs(w);
    greatest = std::isnan(w) ? w : std::max(greatest, std::abs(w));
  }
  row.are_shares = !negative && std::abs(sum - 1) <= share_tolerance;
  row.greatest = std::isnan(sum) ? nan : greatest;
  const double whole = row.are_shares || row.map.read == ReadRows::as_they_are ? 1 : magnitude;
  for (Index j = 0; j < row.keys(); ++j)
    if (const double p = std::abs(row.weight(j)) / whole; p != 0) row.entropy -= p * std::log(p);
}

OfOneHead measure_head(const MeasuredMap& s, const float* of_head, const Compute& compute) {
  OfOneHead head;
  const auto rows = measure_rows();
  for (Index b = s.only_item.value_or(0); b < (s.only_item ? *s.only_item + 1 : s.batches.size); ++b)
    for (Index q = 0; q < s.queries.size && !compute.cancelled(); ++q) {
      MeasuredRow row{.map = s,
                      .weights = of_head + b * s.batches.stride + q * s.queries.stride,
                      .item = b,
                      .query = q + s.first_query};
      if (s.is_padding(b, q)) {
        ++head.rows_of_padding;
        continue;
      }
      double sum = 0;
      bool any = false;
      for (Index j = 0; j < s.keys.size; ++j) {
        const double w = row.weight(j);
        any |= w != 0;
        sum += w;
      }
      head.rows_without_key += !any;
      if (!any) continue;
      measure_spread(row, sum);
      head.unnormalized_rows += !row.are_shares;
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (const auto number = rows[k].of_row ? rows[k].of_row(row) : std::nullopt) head.means[k].add(*number);
    }
  return head;
}

// Why no head has a number.
Missing why_missing(const MeasuredMap& s, const MeasureNeeds& needs) {
  if (needs.places && s.places == Places::different) return Missing::not_square;
  if (needs.tokens && s.key_tokens.empty()) return Missing::tokens;
  if (s.places == Places::window && needs.places) return Missing::window;
  if (s.places == Places::per_query && needs.places) return Missing::own_window;
  const bool any_special = std::ranges::any_of(s.special, [](const auto& list) { return !list.empty(); });
  if (needs.special_tokens && !any_special) return Missing::special_tokens;
  if (needs.such_keys) return Missing::such_keys;
  if (needs.second_query && s.queries.size == 1) return Missing::second_query;
  return Missing::visible_keys;
}

// A number a head, of those that the run says.
HeadValues of_run(const MeasureRow& row, const OutputShares& outputs, std::size_t heads, std::optional<Index> item,
                  Compute& compute) {
  HeadValues of = row.of_run(outputs, item, compute);
  if (of.values.size() == heads) return of;
  return {std::vector<double>(heads, nan), of.values.empty() ? of.missing : Missing::head_outputs};
}

HeadMeasures measured(const OutputShares& outputs, const Step& map, Compute& compute, ReadRows read,
                      std::optional<Index> item) {
  MeasuredMap s = measured_map(map, item);
  s.read = read;
  std::vector<OfOneHead> heads(static_cast<std::size_t>(s.heads.size));
  compute.parallel_each(s.heads.size, 1, [&](Index m) {
    heads[static_cast<std::size_t>(m)] = measure_head(s, map.tensor().data() + m * s.heads.stride, compute);
  });
  HeadMeasures result;
  result.heads = s.heads.size;
  result.keys = s.keys.size;
  result.rows = (s.only_item ? 1 : s.batches.size) * s.heads.size * s.queries.size;
  for (const Measure measure : all_measures()) {
    const MeasureRow& row = row_of(measure);
    HeadValues& of = result[measure];
    if (row.of_run) {
      of = of_run(row, outputs, heads.size(), item, compute);
      continue;
    }
    bool none = true;
    for (const OfOneHead& head : heads) {
      const Mean& mean = head.means[measure.place()];
      of.values.push_back(mean.value());
      none &= mean.count == 0;
    }
    if (none) of.missing = why_missing(s, row.needs);
  }
  for (const OfOneHead& head : heads) {
    result.rows_without_key += head.rows_without_key;
    result.rows_of_padding += head.rows_of_padding;
    result.unnormalized_rows += head.unnormalized_rows;
  }
  return result;
}

}  // namespace

std::optional<HeadMeasures> measure_heads(const Trace& trace, Compute& compute, std::optional<Index> item) {
  const Step* map = trace.map();
  if (!map) return std::nullopt;
  return measure_heads(trace, *map, compute, ReadRows::as_shares, item);
}

HeadMeasures measure_heads(const Trace& trace, const Step& map, Compute& compute, ReadRows read,
                           std::optional<Index> item) {
  return measured(OutputShares(trace), map, compute, read, item);
}

std::vector<HeadMeasures> measure_items(const Trace& trace, const Step& map, Compute& compute, ReadRows read) {
  const OutputShares outputs(trace);
  std::vector<HeadMeasures> items;
  for (Index item = 0; item < map.extent(AxisRole::batch); ++item)
    items.push_back(measured(outputs, map, compute, read, item));
  return items;
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
        compute.parallel_each(n, 8, [&](Index i) {
          std::fill_n(now.begin() + i * n, n, 0.0);
          for (Index k = 0; k < n; ++k)
            for (Index j = 0; j < n; ++j) now[i * n + j] += mixed[i * n + k] * before[k * n + j];
        });
      }
      std::ranges::transform(now, result.data() + (b * layers + l) * n * n,
                             [](double value) { return static_cast<float>(value); });
      before = now;
    }
  return result;
}

}  // namespace headlight
