// Points of many channels in a plane: along the two directions that keep most of their squared lengths.
//
// Uncentred principal component analysis (Pearson, "On lines and planes of closest fit", 1901), about the origin, so
// that an arrow from 0 stays one and the plane's dot products are the nearest to the points' own.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::math {

struct PrincipalPlane {
  std::vector<std::array<double, 2>> points;  // one a row
  double kept = 1;                            // of the sum of squared lengths, 0 to 1; 1 where all are 0
};

// Of rows of so many channels, all finite. The signs are such that the farthest point along each direction is positive.
PrincipalPlane principal_plane(std::span<const float> rows, Index channels);

}  // namespace headlight::math
