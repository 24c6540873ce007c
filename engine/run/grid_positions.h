// Positions of a grid, for an array that holds a code of each place's row beside one of its column.
//
// Not for the codes themselves: those are math/positions.h.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// (…, n, d) of `shape`, on the grid of the picture that the array's places are those of, or of as many columns as the
// parameter grid_columns says. Errors: no grid, a width that 4 does not divide, columns that do not divide n.
Result<std::shared_ptr<const Tensor>> grid_positions(const Problem& problem, const ArraySpec& spec, const Shape& shape);

}  // namespace headlight
