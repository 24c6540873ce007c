// Positions of the first input moved about: by a seed, or in a circle on their grid. Whether the output moves along
// tells permutation equivariance from translation equivariance.
//
// Not for judging that: app/reading/equivariance.h.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

// For each place of the grid the position that comes to stand there: a permutation of all positions, flattened
// row-major (frame, row, column). A shuffle goes over all frames; a shift moves every frame on its own.
std::vector<Index> permutation_of(const Arrangement& arrangement, const Grid& grid);

// For each position the place where it comes to stand.
std::vector<Index> inverse_permutation(std::span<const Index> permutation);

// An array as (outer, positions, inner) in C order, and the grid that its positions lie on.
struct PositionAxes {
  Index outer = 1;
  Index positions = 0;
  Index inner = 1;
  Grid grid;
};

// Where positions of the problem's first input lie in an array laid out as that input is: (B, n, d), or (B, C, …) on a
// grid. Nothing where the array has none, or another number of them.
std::optional<PositionAxes> position_axes(const Problem& problem, const Shape& shape);

// The array with position permutation[i] at place i; as many as the axes have.
Tensor arranged(const Tensor& array, const PositionAxes& axes, std::span<const Index> permutation);

// Moves the first input, whatever shares it (keys of self attention), its pictures, and its labels where they name what
// stands there (tokens) rather than the place (rows and columns). Weights stay, so that nothing else differs. A warning
// says so where nothing has moved.
Status arrange(const Arrangement& arrangement, Problem& problem);

}  // namespace headlight
