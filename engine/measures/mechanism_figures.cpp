#include "engine/measures/mechanism_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/variants/mechanism/mechanism.h"

namespace headlight {

namespace {

using Column = std::vector<double>;

double squared(const Column& column) {
  double sum = 0;
  for (const double x : column) sum += x * x;
  return sum;
}

double largest_of(const Tensor& map, Index head) {
  const Index heads = map.dim(1), plane = map.dim(2) * map.dim(3);
  double largest = 0;
  for (Index b = 0; b < map.dim(0); ++b)
    for (Index cell = 0; cell < plane; ++cell)
      largest = std::max(largest, std::abs(static_cast<double>(map[(b * heads + head) * plane + cell])));
  return largest;
}

// Of the first batch item's map of a head: cells that no mask hides.
Index pairs_of(const Step* scores, const Tensor& map, Index head) {
  const Index plane = map.dim(2) * map.dim(3);
  if (!scores) return plane;
  const auto cells =
      scores->tensor().values().subspan(static_cast<std::size_t>(head * plane), static_cast<std::size_t>(plane));
  return plane - std::ranges::count(cells, -std::numeric_limits<float>::infinity());
}

// Keys of a window or of a pooled picture are fewer than its pixels.
Index all_pairs_of(const Problem& problem, const Tensor& map) {
  Index pixels = 1;
  for (const char* side : {"T", "H", "W"})
    if (const auto found = problem.symbols.find(side); found != problem.symbols.end()) pixels *= found->second;
  return map.dim(2) * std::max(map.dim(3), pixels);
}

double change_of(const Tensor& map, const Tensor& moved, Index head) {
  const Index heads = map.dim(1), plane = map.dim(2) * map.dim(3);
  double largest = 0;
  for (Index b = 0; b < map.dim(0); ++b)
    for (Index cell = 0; cell < plane; ++cell) {
      const Index at = (b * heads + head) * plane + cell;
      largest = std::max(largest, std::abs(static_cast<double>(map[at]) - static_cast<double>(moved[at])));
    }
  return largest;
}

}  // namespace

std::vector<double> largest_changes(const Tensor& map, const Tensor& other) {
  std::vector<double> changes;
  if (map.shape() != other.shape()) return changes;
  for (Index head = 0; head < map.dim(1); ++head) changes.push_back(change_of(map, other, head));
  return changes;
}

Index matrix_rank(const float* matrix, Index rows, Index columns, Compute& compute) {
  std::vector<Column> left(static_cast<std::size_t>(columns), Column(static_cast<std::size_t>(rows)));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      left[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = static_cast<double>(matrix[i * columns + j]);
  const double rounding = static_cast<double>(std::max(rows, columns)) * std::exp2(-23);
  double first = 0;
  for (Index rank = 0; rank < std::min(rows, columns) && !compute.cancelled(); ++rank) {
    const auto longest = std::ranges::max_element(left, {}, squared);
    const double length = std::sqrt(squared(*longest));
    if (rank == 0) first = length;
    if (length <= rounding * first) return rank;
    Column unit = std::move(*longest);
    left.erase(longest);
    for (double& x : unit) x /= length;
    for (Column& column : left) {  // what is left of each beside that direction
      double along = 0;
      for (std::size_t i = 0; i < column.size(); ++i) along += column[i] * unit[i];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * unit[i];
    }
  }
  return std::min(rows, columns);
}

std::optional<MechanismFigures> mechanism_figures(const Problem& problem, const Trace& trace, const Trace* moved,
                                                  Compute& compute) {
  const Step* map = trace.map();
  if (!map || map->tensor().rank() != 4) return std::nullopt;
  MechanismFigures figures;
  if (const auto shared = mechanism::shared_keys(problem, trace)) {
    figures.kept = shared->kept;
    figures.kept_each = shared->kept_each;
  }
  if (const auto latent = mechanism::latent_keys(trace)) {
    figures.kept = latent->kept;
    figures.kept_each = latent->kept_each;
  }
  if (const auto state = mechanism::running_state(trace)) {
    const Index heads = state->state->extent(AxisRole::head);
    figures.state = heads * state->features * (state->width + 1);  // and the sum of the keys
  }
  const Tensor& weights = map->tensor();  // (B, M, n_q, n_k)
  figures.past = past_length(problem, trace);
  // The map of linear attention hides in no score.
  const Step* scores = trace.scores_before(*map);
  if (!figures.state) figures.all_pairs = all_pairs_of(problem, map->tensor());
  const Step* other = moved ? moved->map() : nullptr;
  const auto shifts = other ? largest_changes(weights, other->tensor()) : std::vector<double>();
  for (Index head = 0; head < weights.dim(1) && !compute.cancelled(); ++head) {
    HeadFigures of;
    of.largest = largest_of(weights, head);
    of.pairs = pairs_of(scores, weights, head);
    if (std::max(weights.dim(2), weights.dim(3)) <= most_rows_ranked)
      of.rank =
          matrix_rank(weights.data() + head * weights.dim(2) * weights.dim(3), weights.dim(2), weights.dim(3), compute);
    if (!shifts.empty()) of.shift = shifts[static_cast<std::size_t>(head)];
    if (figures.past) of.ramp = alibi_bias_at(problem, trace, head, 2 * figures.past->length);
    figures.heads.push_back(of);
  }
  return figures;
}

}  // namespace headlight
