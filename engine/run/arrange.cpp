#include "engine/run/arrange.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "engine/core/random.h"
#include "engine/run/inputs.h"

namespace headlight {

namespace {

Index wrapped(Index at, Index extent) {
  return (at % extent + extent) % extent;
}

Grid grid_of_rows(const Problem& problem, const ArraySpec& spec, Index count) {
  const auto found = problem.grids.find(positions_symbol(spec));
  if (found == problem.grids.end()) return {1, 1, count};
  const auto& [frames, rows, columns] = found->second;
  return frames * rows * columns == count ? found->second : Grid{1, 1, count};
}

std::optional<PositionAxes> axes_of(const Problem& problem, const ArraySpec& spec, const Shape& shape) {
  if (spec.layout == Layout::rows && shape.size() == 3)
    return PositionAxes{shape[0], shape[1], shape[2], grid_of_rows(problem, spec, shape[1])};
  if (spec.layout != Layout::grid || shape.size() < 3 || shape.size() > 5) return std::nullopt;
  Grid grid;
  grid.columns = shape.back();
  if (shape.size() >= 4) grid.rows = shape[shape.size() - 2];
  if (shape.size() == 5) grid.frames = shape[2];
  return PositionAxes{shape[0] * shape[1], grid.frames * grid.rows * grid.columns, 1, grid};
}

// A picture a frame; where frames are a batch, each is arranged on its own.
std::vector<Image> arranged(const std::vector<Image>& pictures, const Grid& grid, std::span<const Index> permutation) {
  std::vector<Image> moved = pictures;
  const Index area = grid.rows * grid.columns;
  const bool in_time = grid.frames > 1;
  for (std::size_t p = 0; p < moved.size(); ++p) {
    for (Index place = 0; place < area; ++place) {
      const auto frame = in_time ? static_cast<Index>(p) : 0;
      const Index from = permutation[static_cast<std::size_t>(frame * area + place)];
      const Image& source = pictures[in_time ? static_cast<std::size_t>(from / area) : p];
      moved[p].set(place % grid.columns, place / grid.columns,
                   source.at(from % grid.columns, from % area / grid.columns));
    }
  }
  return moved;
}

// Whether the pictures are the grid's frames, pixel by pixel.
bool lie_on(const std::vector<Image>& pictures, const Grid& grid) {
  return (grid.frames == 1 || static_cast<Index>(pictures.size()) == grid.frames) &&
         std::ranges::all_of(pictures, [&](const Image& picture) {
           return picture.width == grid.columns && picture.height == grid.rows;
         });
}

}  // namespace

std::vector<Index> permutation_of(const Arrangement& arrangement, const Grid& grid) {
  if (const auto* shuffle = std::get_if<Shuffle>(&arrangement)) {
    Random random(shuffle->seed, "arrange");
    return shuffled(grid.frames * grid.rows * grid.columns, random);
  }
  const Shift shift = std::get<Shift>(arrangement);
  std::vector<Index> from;
  for (Index t = 0; t < grid.frames; ++t)
    for (Index r = 0; r < grid.rows; ++r)
      for (Index c = 0; c < grid.columns; ++c)
        from.push_back((t * grid.rows + wrapped(r - shift.rows, grid.rows)) * grid.columns +
                       wrapped(c - shift.columns, grid.columns));
  return from;
}

std::vector<Index> inverse_permutation(std::span<const Index> permutation) {
  std::vector<Index> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<Index>(i);
  return inverse;
}

std::optional<PositionAxes> position_axes(const Problem& problem, const Shape& shape) {
  const ArraySpec& first = problem.specs.inputs.front();
  const Tensor* input = problem.find(first.id);
  const auto own = input ? axes_of(problem, first, input->shape()) : std::nullopt;
  const auto axes = axes_of(problem, first, shape);
  return own && axes && own->positions == axes->positions ? axes : std::nullopt;
}

Tensor arranged(const Tensor& array, const PositionAxes& axes, std::span<const Index> permutation) {
  assert(array.size() == axes.outer * axes.positions * axes.inner);
  Tensor moved = Tensor::uninitialized(array.shape());
  for (Index o = 0; o < axes.outer; ++o)
    for (Index place = 0; place < axes.positions; ++place) {
      const Index from = permutation[static_cast<std::size_t>(place)];
      std::copy_n(array.data() + (o * axes.positions + from) * axes.inner, axes.inner,
                  moved.data() + (o * axes.positions + place) * axes.inner);
    }
  return moved;
}

Status arrange(const Arrangement& arrangement, Problem& problem) {
  const ArraySpec& first = problem.specs.inputs.front();
  const std::shared_ptr<const Tensor> before = problem.arrays.at(first.id);
  const auto axes = axes_of(problem, first, before->shape());
  if (!axes) return fail("arrange moves positions, and {} has none: leave it out", first.id);
  const auto permutation = permutation_of(arrangement, axes->grid);
  if (std::ranges::is_sorted(permutation))
    problem.warnings.push_back(fmt::format("arrange moves nothing on {} of {}×{}",
                                           axes->grid.rows == 1 ? "a row" : "a grid", axes->grid.rows,
                                           axes->grid.columns));
  const auto after = std::make_shared<const Tensor>(arranged(*before, *axes, permutation));
  std::set<std::string> symbols;
  for (const auto& spec : problem.specs.inputs) {
    const auto array = problem.arrays.find(spec.id);
    if (array == problem.arrays.end() || array->second != before) continue;
    array->second = after;
    symbols.insert(positions_symbol(spec));
    if (const auto pictures = problem.pictures.find(spec.id);
        pictures != problem.pictures.end() && lie_on(pictures->second->cells, axes->grid))
      pictures->second = std::make_shared<const Pictures>(
          make_pictures(arranged(pictures->second->cells, axes->grid, permutation), {}));
  }
  if (problem.input_kind != InputKind::text) return {};
  for (const auto& symbol : symbols) {
    const auto labels = problem.labels.find(symbol);
    if (labels == problem.labels.end() || labels->second.size() != permutation.size()) continue;
    std::vector<std::string> moved;
    for (const Index from : permutation) moved.push_back(labels->second[static_cast<std::size_t>(from)]);
    labels->second = std::move(moved);
  }
  return {};
}

}  // namespace headlight
