#include "engine/run/grid_positions.h"

#include <algorithm>

#include "engine/math/positions.h"

namespace headlight {

namespace {

// The input whose channels are counted by that symbol.
std::string input_of(const Problem& problem, const std::string& channels) {
  const auto found = std::ranges::find_if(problem.specs.inputs, [&](const ArraySpec& spec) {
    return spec.layout != Layout::none && spec.shapes.front().back() == channels;
  });
  return found == problem.specs.inputs.end() ? "the input" : found->id;
}

}  // namespace

Result<std::shared_ptr<const Tensor>> grid_positions(const Problem& problem, const ArraySpec& spec,
                                                     const Shape& shape) {
  const auto& symbols = spec.shapes.front();
  const Index n = shape[shape.size() - 2], d = shape.back();
  if (d % 4 != 0)
    return fail("sinusoidal_2d needs a width that 4 divides: {} has {} channels", input_of(problem, symbols.back()), d);
  const bool automatic = problem.params.is_automatic("grid_columns");
  const auto grid = problem.grids.find(symbols[symbols.size() - 2]);
  if (automatic && (grid == problem.grids.end() || grid->second.frames > 1))
    return fail("positions sinusoidal_2d needs rows and columns: give a picture, or set grid_columns");
  const Index columns = automatic ? grid->second.columns : problem.params.integer("grid_columns");
  if (n % columns != 0) return fail("grid_columns {} does not divide the {} positions", columns, n);
  auto made = std::make_shared<Tensor>(shape);
  sinusoidal_positions_2d(n, columns, d, made->data());
  return made;
}

}  // namespace headlight
