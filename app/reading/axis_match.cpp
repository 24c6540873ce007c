#include "app/reading/axis_match.h"

#include <algorithm>
#include <array>

#include "app/reading/slice.h"

namespace headlight::app {

AxisMatch identity_match(Index size) {
  AxisMatch match;
  for (Index i = 0; i < size; ++i) match.a.push_back(i);
  match.b = match.a;
  return match;
}

namespace {

constexpr Index longest_matched = 4096;  // positions by their labels: the table of both has a cell a pair

std::optional<Index> partner_of(const std::vector<Index>& from, const std::vector<Index>& to, Index position) {
  const auto found = std::ranges::lower_bound(from, position);
  if (found == from.end() || *found != position) return std::nullopt;
  return to[static_cast<std::size_t>(found - from.begin())];
}

// Of texts that begin or end alike, what is between alone is laid out in the table.
AxisMatch by_labels(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto size_a = static_cast<Index>(a.size()), size_b = static_cast<Index>(b.size());
  const auto same = [&](Index i, Index j) { return a[static_cast<std::size_t>(i)] == b[static_cast<std::size_t>(j)]; };
  Index begin = 0, end = 0;
  while (begin < std::min(size_a, size_b) && same(begin, begin)) ++begin;
  while (end < std::min(size_a, size_b) - begin && same(size_a - 1 - end, size_b - 1 - end)) ++end;
  const Index rows = size_a - begin - end, columns = size_b - begin - end;
  std::vector<std::uint16_t> longest(static_cast<std::size_t>((rows + 1) * (columns + 1)));
  const auto at = [&](Index i, Index j) -> std::uint16_t& {
    return longest[static_cast<std::size_t>(i * (columns + 1) + j)];
  };
  for (Index i = rows; i-- > 0;)
    for (Index j = columns; j-- > 0;)
      at(i, j) = same(begin + i, begin + j) ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                            : std::max(at(i + 1, j), at(i, j + 1));
  AxisMatch match;
  match.by_token = true;
  const auto pair = [&](Index i, Index j) {
    match.a.push_back(i);
    match.b.push_back(j);
  };
  for (Index i = 0; i < begin; ++i) pair(i, i);
  for (Index i = 0, j = 0; i < rows || j < columns;)
    if (i < rows && j < columns && same(begin + i, begin + j))
      pair(begin + i++, begin + j++);
    else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1)))
      match.only_a.push_back(begin + i++);
    else
      match.only_b.push_back(begin + j++);
  for (Index i = end; i > 0; --i) pair(size_a - i, size_b - i);
  return match;
}

std::string counted_positions(const Axis& axis) {
  return fmt::format("{} of {}", axis.size, axis.name.empty() ? "its axis" : axis.name);
}

// Of keys on a picture: which they are. "7 × 7 keys round it"
std::string keys_in_words(const Axis& keys) {
  if (keys.position_of) return fmt::format("the {} pixels of its window", keys.size);
  if (!keys.grid) return fmt::format("{} keys", keys.size);
  const Grid& grid = *keys.grid;
  return fmt::format("{}{} × {} keys{}", grid.frames > 1 ? fmt::format("{} × ", grid.frames) : "", grid.rows,
                     grid.columns, keys.window ? " round it" : " of the picture");
}

std::array<Index, 3> sides_of(const Axis& axis) {
  return axis.grid ? std::array{axis.grid->frames, axis.grid->rows, axis.grid->columns} : std::array<Index, 3>{};
}

bool is_flat_axis(const Axis& axis) {
  return !axis.grid || axis.grid->rows * axis.grid->frames == 1;
}

// Keys of windows of these queries, which both runs have.
AxisMatch by_pixel(const Axis& queries, const Axis& a, const Axis& b) {
  AxisMatch match = identity_match(b.size);
  match.a.clear();
  match.in_a = std::make_shared<const PixelPartners>(partners_by_pixel(queries, b, a));
  match.in_b = std::make_shared<const PixelPartners>(partners_by_pixel(queries, a, b));
  return match;
}

}  // namespace

Status check_keys(const Axis& a, const Axis& b) {
  const bool placed = a.position_of || b.position_of || a.window || b.window || !is_flat_axis(a) || !is_flat_axis(b);
  const bool alike = a.window == b.window && (a.position_of != nullptr) == (b.position_of != nullptr) &&
                     is_flat_axis(a) == is_flat_axis(b) && (is_flat_axis(a) || sides_of(a) == sides_of(b));
  if (!placed || alike) return {};
  return fail("a query of A looks at {} and one of B at {}, which do not stand for each other", keys_in_words(a),
              keys_in_words(b));
}

std::optional<Index> AxisMatch::partner_in_a(Index of_b, std::optional<Index> query) const {
  if (in_a) return query ? in_a->of(*query, of_b) : std::nullopt;
  return partner_of(b, a, of_b);
}
std::optional<Index> AxisMatch::partner_in_b(Index of_a, std::optional<Index> query) const {
  if (in_b) return query ? in_b->of(*query, of_a) : std::nullopt;
  return partner_of(a, b, of_a);
}
std::optional<Index> AxisMatch::place_of_b(Index of_b) const {
  const auto found = std::ranges::lower_bound(b, of_b);
  return found == b.end() || *found != of_b ? std::nullopt : std::optional<Index>(found - b.begin());
}

Result<AxisMatch> match(const Axis* a, Index item_a, const Axis* b, Index item_b, const Axis* queries) {
  if (!a && !b) return identity_match(1);
  if (!a || !b) return fail("A and B have axes of another kind here");
  if (role_along(*a) != role_along(*b)) return fail("A counts by {} here and B by {}", a->name, b->name);
  if (a->only != b->only) return fail("another query is computed in A than in B: compare with all queries");
  if (role_along(*a) == AxisRole::key) HL_CHECK(check_keys(*a, *b));
  if (are_places_of_windows(queries, a) && are_places_of_windows(queries, b)) return by_pixel(*queries, *a, *b);
  if (is_flat_axis(*a) != is_flat_axis(*b) || (!is_flat_axis(*a) && sides_of(*a) != sides_of(*b)))
    return fail("A has {} positions of another grid than B, which has {}: give both the same grid", a->size, b->size);
  if (a->size == b->size) return identity_match(a->size);
  const bool labelled = static_cast<Index>(a->labels.size()) == a->size &&
                        static_cast<Index>(b->labels.size()) == b->size && !labels_are_numbers(*a) &&
                        !labels_are_numbers(*b);
  if (!labelled)
    return fail("A has {} and B {}, and no names to match them by", counted_positions(*a), counted_positions(*b));
  if (std::max(a->size, b->size) > longest_matched)
    return fail("texts of {} and {} tokens are too long to be matched", a->size, b->size);
  return by_labels(labels_of_item(*a, item_a), labels_of_item(*b, item_b));
}

PositionMatch match_positions(const Trace& a, const Trace& b, Index item) {
  PositionMatch found;
  const auto put = [&](AxisMatch& into, const Axis* of_a, const Axis* of_b, const Axis* asking) {
    if (!of_a && !of_b) return;
    auto matched = match(of_a, item, of_b, item, asking);
    if (matched)
      into = std::move(*matched);
    else if (found.why_not.empty())
      found.why_not = matched.error().message;
  };
  put(found.queries, queries_of(a), queries_of(b), nullptr);
  const Step *map_a = a.map(), *map_b = b.map();
  const Axis* asking = found.why_not.empty() ? queries_of(b) : nullptr;
  if (map_a && map_b) put(found.keys, map_a->axis(AxisRole::key), map_b->axis(AxisRole::key), asking);
  return found;
}

Selection partner_in_a(const PositionMatch& match, Selection of_b) {
  if (of_b.key) of_b.key = match.keys.partner_in_a(*of_b.key, of_b.query);
  if (of_b.query) of_b.query = match.queries.partner_in_a(*of_b.query);
  return of_b;
}
Selection partner_in_b(const PositionMatch& match, Selection of_a) {
  if (of_a.key) of_a.key = match.keys.partner_in_b(*of_a.key, of_a.query);
  if (of_a.query) of_a.query = match.queries.partner_in_b(*of_a.query);
  return of_a;
}

}  // namespace headlight::app
