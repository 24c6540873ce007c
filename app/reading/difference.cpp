#include "app/reading/difference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr Index longest_matched = 4096;  // positions by their labels: the table of both has a cell a pair

std::optional<Index> other_of(const std::vector<Index>& from, const std::vector<Index>& to, Index position) {
  const auto found = std::ranges::lower_bound(from, position);
  if (found == from.end() || *found != position) return std::nullopt;
  return to[static_cast<std::size_t>(found - from.begin())];
}

AxisMatch place_by_place(Index size) {
  AxisMatch match;
  for (Index i = 0; i < size; ++i) match.a.push_back(i);
  match.b = match.a;
  return match;
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
  for (Index i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && j < columns && same(begin + i, begin + j))
      pair(begin + i++, begin + j++);
    else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1)))
      match.only_a.push_back(begin + i++);
    else
      match.only_b.push_back(begin + j++);
  }
  for (Index i = end; i > 0; --i) pair(size_a - i, size_b - i);
  return match;
}

std::string counted(const Axis& axis) {
  return fmt::format("{} of {}", axis.size, axis.name.empty() ? "its axis" : axis.name);
}

}  // namespace

std::optional<Index> AxisMatch::partner_in_a(Index of_b) const {
  return other_of(b, a, of_b);
}
std::optional<Index> AxisMatch::partner_in_b(Index of_a) const {
  return other_of(a, b, of_a);
}
std::optional<Index> AxisMatch::place_of_b(Index of_b) const {
  const auto found = std::ranges::lower_bound(b, of_b);
  return found == b.end() || *found != of_b ? std::nullopt : std::optional<Index>(found - b.begin());
}

Result<AxisMatch> match(const Axis* a, const Axis* b) {
  if (!a && !b) return place_by_place(1);
  if (!a || !b) return fail("A and B have axes of another kind here");
  if (role_along(*a) != role_along(*b)) return fail("A counts by {} here and B by {}", a->name, b->name);
  const auto sides = [](const Axis& axis) {
    return axis.grid ? std::array{axis.grid->frames, axis.grid->rows, axis.grid->columns} : std::array<Index, 3>{};
  };
  const auto flat = [](const Axis& axis) { return !axis.grid || axis.grid->rows * axis.grid->frames == 1; };
  if (a->only != b->only) return fail("another query is computed in A than in B: compare with all queries");
  if (flat(*a) != flat(*b) || (!flat(*a) && sides(*a) != sides(*b)))
    return fail("A has {} positions of another grid than B, which has {}: give both the same grid", a->size, b->size);
  if (a->size == b->size) return place_by_place(a->size);
  const bool labelled = static_cast<Index>(a->labels.size()) == a->size &&
                        static_cast<Index>(b->labels.size()) == b->size && !labels_are_numbers(*a) &&
                        !labels_are_numbers(*b);
  if (!labelled) return fail("A has {} and B {}, and no names to match them by", counted(*a), counted(*b));
  if (std::max(a->size, b->size) > longest_matched)
    return fail("texts of {} and {} tokens are too long to be matched", a->size, b->size);
  return by_labels(a->labels, b->labels);
}

PositionMatch match_positions(const Trace& a, const Trace& b) {
  PositionMatch found;
  const auto put = [&](AxisMatch& into, const Axis* of_a, const Axis* of_b) {
    if (!of_a && !of_b) return;
    auto matched = match(of_a, of_b);
    if (matched)
      into = std::move(*matched);
    else if (found.why_not.empty())
      found.why_not = matched.error().message;
  };
  put(found.queries, queries_of(a), queries_of(b));
  const Step *map_a = a.map(), *map_b = b.map();
  if (map_a && map_b) put(found.keys, map_a->axis(AxisRole::key), map_b->axis(AxisRole::key));
  return found;
}

namespace {

Selection moved(Selection selection, auto&& query, auto&& key) {
  if (selection.query) selection.query = query(*selection.query);
  if (selection.key) selection.key = key(*selection.key);
  return selection;
}

}  // namespace

Selection partner_in_a(const PositionMatch& match, Selection of_b) {
  return moved(
      of_b, [&](Index i) { return match.queries.partner_in_a(i); },
      [&](Index j) { return match.keys.partner_in_a(j); });
}
Selection partner_in_b(const PositionMatch& match, Selection of_a) {
  return moved(
      of_a, [&](Index i) { return match.queries.partner_in_b(i); },
      [&](Index j) { return match.keys.partner_in_b(j); });
}

namespace {

// The map that a step is, or that was made of these scores, and how many steps before it the scores are.
struct InChain {
  std::size_t map = 0;
  int before = 0;
  bool first = false;  // nothing that is a score was before it
};
std::optional<InChain> chain_of(const Trace& trace, const Step& step) {
  const auto maps = trace.maps();
  for (std::size_t m = 0; m < maps.size(); ++m) {
    int before = 0;
    for (const Step* at = maps[m]; at; at = trace.before(*at), ++before)
      if (at == &step) return InChain{m, before, !trace.before(*at)};
  }
  return std::nullopt;
}

const Step* in_chain(const Trace& trace, const InChain& place) {
  const auto maps = trace.maps();
  if (place.map >= maps.size()) return nullptr;
  if (place.before == 0) return maps[place.map];
  const Step* last = trace.before(*maps[place.map]);
  if (place.before == 1 && !place.first) return last;
  while (place.first && last && trace.before(*last)) last = trace.before(*last);
  return place.first ? last : nullptr;
}

}  // namespace

const Step* counterpart(const Trace& a, const Trace& b, const Step& of_b) {
  const Step* same = a.find(of_b.info.id);
  if (same && same->info.role == of_b.info.role && same->info.kind == of_b.info.kind) return same;
  if (const auto place = chain_of(b, of_b)) return in_chain(a, *place);
  if (&of_b == b.output()) return a.output();
  if (!is_projection(b, of_b)) return nullptr;
  const auto found = std::ranges::find_if(
      a.steps, [&](const Step& step) { return step.info.role == of_b.info.role && is_projection(a, step); });
  return found == a.steps.end() ? nullptr : &*found;
}

namespace {

float contrasted(float a, float b, Contrast contrast) {
  if (contrast == Contrast::difference) return b - a;
  if (a == 0 || b == 0 || (a < 0) != (b < 0)) return NAN;
  return std::log2(b / a);
}

void fill(Difference& d, const MatrixView& a, const MatrixView& b, Contrast contrast) {
  d.cells = Tensor::uninitialized({d.rows.size(), d.columns.size()});
  for (Index i = 0; i < d.rows.size(); ++i)
    for (Index j = 0; j < d.columns.size(); ++j) {
      const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
      const float in_a = a.at(d.rows.a[r], d.columns.a[c]), in_b = b.at(d.rows.b[r], d.columns.b[c]);
      float& cell = d.cells[i * d.columns.size() + j];
      if (is_masked(in_a) || is_masked(in_b)) {
        cell = masked_value;
        d.masked_in_a += !is_masked(in_b);
        d.masked_in_b += !is_masked(in_a);
        continue;
      }
      cell = contrasted(in_a, in_b, contrast);
      if (!std::isfinite(cell)) {
        cell = NAN;
        ++d.undefined;
        continue;
      }
      d.total += static_cast<double>(cell) * cell;
      if (std::abs(cell) <= d.greatest) continue;
      d.greatest = std::abs(cell);
      d.row = i;
      d.column = j;
    }
  d.total = std::sqrt(d.total);
}

// Where a picture is of one query's keys, both must show the same query.
Status check_asked(const Slice& a, const Slice& b, const Focus& focus_a, const Focus& focus_b) {
  if (a.is_picture() != b.is_picture() || a.positions != b.positions)
    return fail("this step is a picture in one of both alone");
  const bool of_query = b.positions == Role::key && b.step->axis(AxisRole::query);
  if (of_query && focus_b.selection.query && !focus_a.selection.query)
    return fail("query {} has no partner in A", label_of(b.step->axis(AxisRole::query), *focus_b.selection.query));
  if (b.is_picture() && (a.grid.frames != b.grid.frames || a.frame != b.frame))
    return fail("A has {} frames and B {}", a.grid.frames, b.grid.frames);
  return {};
}

Result<AxisMatch> match_shown(const Slice& a, const Slice& b, bool columns) {
  const Index size_a = columns ? a.matrix.columns : a.matrix.rows, size_b = columns ? b.matrix.columns : b.matrix.rows;
  if (!a.is_picture()) return match(columns ? a.columns : a.rows, columns ? b.columns : b.rows);
  if (size_a != size_b)
    return fail("A lies on a grid of {} × {} and B of {} × {}: give both the same grid", a.matrix.rows,
                a.matrix.columns, b.matrix.rows, b.matrix.columns);
  return place_by_place(size_b);
}

}  // namespace

Result<Difference> difference_of(const Trace& a, const Step& step_a, const Focus& focus_a, const Trace& b,
                                 const Step& step_b, const Focus& focus_b, Contrast contrast) {
  const Slice in_a = slice_of(step_a, focus_a), in_b = slice_of(step_b, focus_b);
  HL_CHECK(check_asked(in_a, in_b, focus_a, focus_b));
  Difference d;
  HL_TRY(d.rows, match_shown(in_a, in_b, false));
  HL_TRY(d.columns, match_shown(in_a, in_b, true));
  if (d.rows.size() == 0 || d.columns.size() == 0) return fail("no token of A stands in B");
  std::shared_ptr<const Tensor> owner_a, owner_b;
  const MatrixView cells_a = cells_of(a, step_a, focus_a, owner_a), cells_b = cells_of(b, step_b, focus_b, owner_b);
  fill(d, cells_a, cells_b, contrast);
  return d;
}

}  // namespace headlight::app
