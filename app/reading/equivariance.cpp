#include "app/reading/equivariance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/system/paths.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

// float32 sums of a few hundred terms in another order differ by less, as a share of the greatest output.
constexpr double rounding = 1e-5;

// How far a position is from the nearer end of an axis, before or after it moved along it; 0 at the end.
Index distance_to_end(Index at, Index by, Index extent) {
  const Index moved = ((at + by) % extent + extent) % extent;
  return std::min({at, extent - 1 - at, moved, extent - 1 - moved});
}

// The same on the grid, over the axes that the shift moves along.
Index depth_of(Index position, const Shift& shift, const Grid& grid) {
  Index depth = std::max(grid.rows, grid.columns);
  if (shift.rows % grid.rows != 0)
    depth = std::min(depth, distance_to_end(position / grid.columns % grid.rows, shift.rows, grid.rows));
  if (shift.columns % grid.columns != 0)
    depth = std::min(depth, distance_to_end(position % grid.columns, shift.columns, grid.columns));
  return depth;
}

// ", all at the border" where every position that is off lies near an edge it was at or came to, and others lie further
// inside; else empty.
std::string border_words(const std::vector<bool>& off, const Shift& shift, const Grid& grid) {
  Index reach = 0, deepest = 0;
  for (std::size_t i = 0; i < off.size(); ++i) {
    const Index depth = depth_of(static_cast<Index>(i), shift, grid);
    deepest = std::max(deepest, depth);
    if (off[i]) reach = std::max(reach, depth + 1);
  }
  if (reach > deepest) return {};
  return reach == 1 ? ", all at the border" : fmt::format(", all within {} of the border", reach);
}

std::string verdict(const Equivariance& e, const std::vector<bool>& off, const Arrangement& arrangement,
                    const Grid& grid) {
  if (e.greatest == 0) return "The output moves along: no number differs.";
  if (e.off == 0)
    return fmt::format("The output moves along: no position is more than {} off.", value_text(e.greatest));
  if (const auto* shift = std::get_if<Shift>(&arrangement))
    if (const std::string border = border_words(off, *shift, grid); !border.empty())
      return fmt::format("The output moves along except at {} of {} positions{}.", e.off, e.positions, border);
  return fmt::format("The output does not move along: {} of {} positions are off, by up to {}.", e.off, e.positions,
                     value_text(e.greatest));
}

bool finite(const Tensor& tensor) {
  return std::ranges::all_of(tensor.values(), [](float value) { return std::isfinite(value); });
}

float greatest_magnitude(const Tensor& tensor) {
  float greatest = 0;
  for (const float value : tensor.values()) greatest = std::max(greatest, std::abs(value));
  return greatest;
}

// At each position the difference of greatest magnitude.
std::vector<float> strongest_of(const Tensor& difference, const PositionAxes& axes) {
  std::vector<float> strongest(static_cast<std::size_t>(axes.positions));
  for (Index i = 0; i < difference.size(); ++i) {
    float& at = strongest[static_cast<std::size_t>(i / axes.inner % axes.positions)];
    if (std::abs(difference[i]) > std::abs(at)) at = difference[i];
  }
  return strongest;
}

}  // namespace

Equivariance equivariance_of(const Tensor& before, const Tensor& after, const PositionAxes& axes,
                             const Arrangement& arrangement) {
  Equivariance e;
  e.positions = axes.positions;
  const auto permutation = permutation_of(arrangement, axes.grid);
  if (std::ranges::is_sorted(permutation)) {
    e.words = "Nothing has moved: every position is where it was.";
    return e;
  }
  if (!finite(before) || !finite(after)) {
    e.words = "The output holds NaN or infinity, so it cannot be compared.";
    return e;
  }
  e.compares = true;
  e.difference = arranged(after, axes, inverse_permutation(permutation));
  for (Index i = 0; i < before.size(); ++i) e.difference[i] -= before[i];
  e.greatest = static_cast<double>(greatest_magnitude(e.difference));
  e.tolerance = rounding * static_cast<double>(greatest_magnitude(before));
  const auto strongest = strongest_of(e.difference, axes);
  std::vector<bool> off;
  const Index area = axes.grid.rows * axes.grid.columns;
  e.strongest = Tensor({axes.grid.rows, axes.grid.columns});
  for (std::size_t i = 0; i < strongest.size(); ++i) {
    off.push_back(static_cast<double>(std::abs(strongest[i])) > e.tolerance);
    float& cell = e.strongest[static_cast<Index>(i) % area];
    if (std::abs(strongest[i]) > std::abs(cell)) cell = strongest[i];
  }
  e.off = std::ranges::count(off, true);
  e.words = verdict(e, off, arrangement, axes.grid);
  return e;
}

std::string question_of(const Experiment& experiment) {
  Experiment plain = experiment;
  plain.arrange.reset();
  plain.view = {};
  plain.document = {};
  return utf8(experiment.folder) + "\n" + to_json(plain, plain.folder);
}

}  // namespace headlight::app
