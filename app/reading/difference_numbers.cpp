// Two runs in a few numbers.
#include <algorithm>
#include <cmath>

#include "app/reading/difference.h"
#include "app/reading/step_words.h"

namespace headlight::app {

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
      AxisMatch item;
      item.a = {std::clamp<Index>(batch_a, 0, of_a.size - 1)};
      item.b = {std::clamp<Index>(batch_b, 0, of_b.size - 1)};
      axes.push_back(std::move(item));
      continue;
    }
    auto matched = match(&of_a, &of_b);
    if (!matched) return std::nullopt;
    axes.push_back(std::move(*matched));
  }
  Norms norms{a, b, axes};
  norms.walk(0, 0, 0);
  if (!std::isfinite(norms.change) || !(norms.before > 0)) return std::nullopt;
  return std::sqrt(norms.change / norms.before);
}

namespace {

// The number of a step at the selected pair, as it is drawn; nothing where it has no such cell.
std::optional<double> at_pair(const Trace& trace, const Step& step, Focus focus) {
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
  for (const Step* at = &map; at; at = b.before(*at)) chain.insert(chain.begin(), at);
  std::vector<PairNumber> numbers;
  const auto add = [&](std::string name, Role role, std::optional<double> in_a, std::optional<double> in_b) {
    if (in_a && in_b) numbers.push_back({std::move(name), role, *in_a, *in_b});
  };
  const Step* map_a = counterpart(a, b, map);
  for (const Step* step : chain) {
    const Step* other = counterpart(a, b, *step);
    if (step == &map && chain.size() > 1 && map_a)
      if (const Step* scores = a.before(*map_a))
        add("gap to runner-up", Role::score, lead(*scores, focus_a), lead(**(chain.end() - 2), focus_b));
    if (!other) continue;
    add(step == &map ? quantity_of(map) : step->info.title, step->info.role, at_pair(a, *other, focus_a),
        at_pair(b, *step, focus_b));
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
