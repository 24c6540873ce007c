#include "app/reading/difference.h"

#include <algorithm>
#include <cmath>

#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// The map that a step is, or that was made of these scores, and how many steps before it the scores are.
struct ChainPlace {
  std::size_t map = 0;
  int before = 0;
  bool first = false;  // nothing that is a score was before it
};
std::optional<ChainPlace> chain_place(const Trace& trace, const Step& step) {
  const auto maps = trace.maps();
  for (std::size_t m = 0; m < maps.size(); ++m) {
    int before = 0;
    for (const Step* at = maps[m]; at; at = trace.scores_before(*at), ++before)
      if (at == &step) return ChainPlace{m, before, !trace.scores_before(*at)};
  }
  return std::nullopt;
}

const Step* step_in_chain(const Trace& trace, const ChainPlace& place) {
  const auto maps = trace.maps();
  if (place.map >= maps.size()) return nullptr;
  if (place.before == 0) return maps[place.map];
  const Step* last = trace.scores_before(*maps[place.map]);
  if (place.before == 1 && !place.first) return last;
  while (place.first && last && trace.scores_before(*last)) last = trace.scores_before(*last);
  return place.first ? last : nullptr;
}

}  // namespace

const Step* counterpart(const Trace& a, const Trace& b, const Step& of_b) {
  const Step* same = a.find(of_b.info.id);
  if (same && same->info.role == of_b.info.role && same->info.kind == of_b.info.kind) return same;
  if (const auto place = chain_place(b, of_b)) return step_in_chain(a, *place);
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
      const auto column = d.column_in_a(i, j);
      const float in_b = b.at(d.rows.b[r], d.columns.b[c]);
      float& cell = d.cells[i * d.columns.size() + j];
      if (!column) {
        cell = masked_value;
        d.outside_a += !is_masked(in_b);
        continue;
      }
      const float in_a = a.at(d.rows.a[r], *column);
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
  for (Index i = 0; d.columns.in_b && i < d.rows.size(); ++i)
    for (Index j = 0; j < a.columns; ++j) {
      const Index row = d.rows.a[static_cast<std::size_t>(i)];
      d.outside_b += !d.columns.in_b->in_row(row, j) && !is_masked(a.at(row, j));
    }
}

// Where a picture is of one query's keys, both must show the same query.
Status check_same_query(const Slice& a, const Slice& b, const Focus& focus_a, const Focus& focus_b) {
  const Axis *keys_a = a.step->axis(AxisRole::key), *keys_b = b.step->axis(AxisRole::key),
             *queries_a = a.step->axis(AxisRole::query), *queries_b = b.step->axis(AxisRole::query);
  const bool on_pictures = queries_a && queries_b && is_on_picture(*queries_a) && is_on_picture(*queries_b);
  if (const Status alike = keys_a && keys_b && on_pictures ? check_keys(*keys_a, *keys_b) : Status{}; !alike) {
    HL_CHECK(match(queries_a, a.item, queries_b, b.item));
    return alike;
  }
  if (a.is_picture() != b.is_picture() || a.positions != b.positions)
    return fail("this step is a picture in one of both alone");
  const bool of_query = b.positions == Role::key && b.step->axis(AxisRole::query);
  if (of_query && focus_b.selection.query && !focus_a.selection.query)
    return fail("query {} has no partner in A",
                label_of(b.step->axis(AxisRole::query), *focus_b.selection.query, b.item));
  if (b.is_picture() && (a.grid.frames != b.grid.frames || a.frame != b.frame))
    return fail("A has {} frames and B {}", a.grid.frames, b.grid.frames);
  return {};
}

Result<AxisMatch> match_shown(const Slice& a, const Slice& b, bool columns) {
  const Index size_a = columns ? a.matrix.columns : a.matrix.rows, size_b = columns ? b.matrix.columns : b.matrix.rows;
  if (!a.is_picture())
    return columns ? match(a.columns, a.item, b.columns, b.item, b.rows) : match(a.rows, a.item, b.rows, b.item);
  if (size_a != size_b)
    return fail("A lies on a grid of {} × {} and B of {} × {}: give both the same grid", a.matrix.rows,
                a.matrix.columns, b.matrix.rows, b.matrix.columns);
  return identity_match(size_b);
}

}  // namespace

std::optional<Index> Difference::column_in_a(Index of_row, Index of_column) const {
  const auto r = static_cast<std::size_t>(of_row), c = static_cast<std::size_t>(of_column);
  return columns.in_a ? columns.in_a->in_row(rows.b[r], columns.b[c]) : std::optional(columns.a[c]);
}

Result<Difference> difference_of(const Trace& a, const Step& step_a, const Focus& focus_a, const Trace& b,
                                 const Step& step_b, const Focus& focus_b, Contrast contrast) {
  const Slice in_a = slice_of(step_a, focus_a), in_b = slice_of(step_b, focus_b);
  HL_CHECK(check_same_query(in_a, in_b, focus_a, focus_b));
  Difference d;
  HL_TRY(d.rows, match_shown(in_a, in_b, false));
  HL_TRY(d.columns, match_shown(in_a, in_b, true));
  if (d.rows.size() == 0 || d.columns.size() == 0) return fail("no token of A stands in B");
  std::shared_ptr<const Tensor> owner_a, owner_b;
  const MatrixView cells_a = cells_of(a, step_a, focus_a, owner_a), cells_b = cells_of(b, step_b, focus_b, owner_b);
  fill(d, cells_a, cells_b, contrast);
  return d;
}

namespace {

struct RowOfMap {
  double sum = 0, entropy = 0, peak = 0, later = 0;
  Index visible = 0;
};

RowOfMap row_of(const MatrixView& cells, Index row) {
  RowOfMap found;
  for (Index j = 0; j < cells.columns; ++j) {
    const float weight = cells.at(row, j);
    if (!std::isfinite(weight)) continue;
    ++found.visible;
    found.sum += weight;
    found.peak = std::max(found.peak, static_cast<double>(weight));
    if (j > row) found.later += weight;
    if (weight > 0) found.entropy -= weight * std::log(static_cast<double>(weight));
  }
  return found;
}

bool same_positions(const Axis* queries, const Axis* keys) {
  return queries && keys && queries->size == keys->size && !queries->labels.empty() &&
         queries->labels == keys->labels && !queries->only;
}

// The row of a query as it is drawn, masked keys as such.
RowOfMap row_of_query(const Trace& trace, const Step& map, Focus focus) {
  focus.flat = true;
  std::shared_ptr<const Tensor> owner;
  const MatrixView cells = cells_of(trace, map, focus, owner);
  const auto row = selected_row(slice_of(map, focus), focus.selection);
  return row ? row_of(cells, *row) : RowOfMap{};
}

}  // namespace

std::optional<MapMeans> means_of(const Trace& trace, const Step& map, Index batch, std::optional<Index> head) {
  MapMeans means;
  double entropy = 0, later = 0;
  bool adds_up = true;
  const Index heads = map.extent(AxisRole::head);
  for (Index m = head.value_or(0); m < (head ? std::min(*head + 1, heads) : heads); ++m) {
    std::shared_ptr<const Tensor> owner;
    const MatrixView cells = cells_of(trace, map, {.batch = batch, .head = m, .flat = true}, owner);
    for (Index i = 0; i < cells.rows; ++i) {
      const RowOfMap row = row_of(cells, i);
      if (row.visible == 0) continue;
      ++means.rows;
      adds_up = adds_up && std::abs(row.sum - 1) < 1e-3;
      entropy += row.entropy;
      later += row.later;
      means.peak += row.peak;
      means.sum += row.sum;
    }
  }
  if (means.rows == 0) return std::nullopt;
  const auto rows = static_cast<double>(means.rows);
  means.peak /= rows;
  means.sum /= rows;
  if (adds_up) means.entropy = std::max(0.0, entropy / rows);
  if (same_positions(map.axis(AxisRole::query), map.axis(AxisRole::key))) means.later = later / rows;
  return means;
}

namespace {

// Walks the cells of both that stand for each other, axis by axis from `axis` on.
struct Norms {
  const Step &a, &b;
  const std::vector<AxisMatch>& axes;
  double change = 0, before = 0;

  void walk(std::size_t axis, Index at_a, Index at_b) {
    if (axis == axes.size()) {
      const double in_a = a.tensor()[at_a], in_b = b.tensor()[at_b];
      change += (in_b - in_a) * (in_b - in_a);
      before += in_a * in_a;
      return;
    }
    for (std::size_t i = 0; i < axes[axis].a.size(); ++i)
      walk(axis + 1, at_a * a.info.axes[axis].size + axes[axis].a[i], at_b * b.info.axes[axis].size + axes[axis].b[i]);
  }
};

}  // namespace

std::optional<double> relative_change(const Step& a, const Step& b, Index batch_a, Index batch_b) {
  if (a.info.axes.size() != b.info.axes.size()) return std::nullopt;
  std::vector<AxisMatch> axes;
  for (std::size_t i = 0; i < a.info.axes.size(); ++i) {
    const Axis &of_a = a.info.axes[i], &of_b = b.info.axes[i];
    if (role_along(of_a) == AxisRole::batch && role_along(of_b) == AxisRole::batch) {
      axes.push_back({.a = {std::clamp<Index>(batch_a, 0, of_a.size - 1)},
                      .b = {std::clamp<Index>(batch_b, 0, of_b.size - 1)},
                      .only_a = {},
                      .only_b = {}});
      continue;
    }
    auto matched = match(&of_a, batch_a, &of_b, batch_b);
    if (!matched || of_b.position_of) return std::nullopt;  // keys of windows have other partners in each row
    axes.push_back(std::move(*matched));
  }
  Norms norms{a, b, axes};
  norms.walk(0, 0, 0);
  if (!std::isfinite(norms.change) || !(norms.before > 0)) return std::nullopt;
  return std::sqrt(norms.change / norms.before);
}

namespace {

// The number of a step at the selected pair, as it is drawn; nothing where it has no such cell.
std::optional<double> value_at_pair(const Trace& trace, const Step& step, Focus focus) {
  focus.flat = true;
  std::shared_ptr<const Tensor> owner;
  const MatrixView cells = cells_of(trace, step, focus, owner);
  const Slice slice = slice_of(step, focus);
  const auto row = selected_row(slice, focus.selection), column = selected_column(slice, focus.selection);
  if (!row || !column) return std::nullopt;
  return cells.at(*row, *column);
}

// How far the score of the pair is above the highest other one of its row that is visible.
std::optional<double> lead(const Step& scores, Focus focus) {
  focus.flat = true;
  const Slice slice = slice_of(scores, focus);
  const auto row = selected_row(slice, focus.selection), column = selected_column(slice, focus.selection);
  if (!row || !column || is_masked(slice.matrix.at(*row, *column))) return std::nullopt;
  std::optional<double> other;
  for (Index j = 0; j < slice.matrix.columns; ++j) {
    const double score = slice.matrix.at(*row, j);
    if (j != *column && std::isfinite(score)) other = std::max(other.value_or(score), score);
  }
  return other ? std::optional(slice.matrix.at(*row, *column) - *other) : std::nullopt;
}

}  // namespace

std::vector<PairNumber> pair_numbers(const Trace& a, const Focus& focus_a, const Trace& b, const Step& map,
                                     const Focus& focus_b) {
  std::vector<const Step*> chain;  // from the first scores to the map
  for (const Step* at = &map; at; at = b.scores_before(*at)) chain.insert(chain.begin(), at);
  std::vector<PairNumber> numbers;
  const auto add = [&](std::string name, Role role, std::optional<double> in_a, std::optional<double> in_b) {
    if (in_a && in_b) numbers.push_back({std::move(name), role, *in_a, *in_b});
  };
  const Step* map_a = counterpart(a, b, map);
  for (const Step* step : chain) {
    const Step* other = counterpart(a, b, *step);
    if (step == &map && chain.size() > 1 && map_a)
      if (const Step* scores = a.scores_before(*map_a))
        add("gap to runner-up", Role::score, lead(*scores, focus_a), lead(**(chain.end() - 2), focus_b));
    if (!other) continue;
    add(step == &map ? quantity_of(map) : step->info.title, step->info.role, value_at_pair(a, *other, focus_a),
        value_at_pair(b, *step, focus_b));
  }
  if (!map_a) return numbers;
  const RowOfMap row_a = row_of_query(a, *map_a, focus_a), row_b = row_of_query(b, map, focus_b);
  if (row_a.visible == 0 || row_b.visible == 0) return numbers;
  if (std::abs(row_a.sum - 1) < 1e-3 && std::abs(row_b.sum - 1) < 1e-3)
    add("row entropy", Role::none, std::max(0.0, row_a.entropy), std::max(0.0, row_b.entropy));
  else
    add("row sum", Role::none, row_a.sum, row_b.sum);
  return numbers;
}

}  // namespace headlight::app
