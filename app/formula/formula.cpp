#include "app/formula/formula.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

// From a point to the nearest of a box; 0 inside it.
double distance(const FormulaBox& box, OutlinePoint p) {
  return std::hypot(std::max({box.left - p.x, 0.0, p.x - box.right}), std::max({box.top - p.y, 0.0, p.y - box.bottom}));
}

}  // namespace

std::size_t Formula::region_at(OutlinePoint point, double margin) const {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = regions.size(); i-- > 1;) {  // backwards: of boxes equally near, the innermost
    const double away = distance(regions[i].box, point);
    if (away > margin || away >= least) continue;
    nearest = i;
    least = away;
  }
  return nearest;
}

}  // namespace headlight
