// What a mechanism would cost on inputs of other sizes, by its own cost().
#pragma once

#include <string>
#include <vector>

#include "engine/variants/variant.h"

namespace headlight::app {

struct CostPoint {
  Index size = 0;  // the longer side of a picture, or the length of a sequence
  Cost cost;
};

struct CostCurve {
  std::string name;      // "whole picture", "window of 7"
  bool current = false;  // as the experiment is set
  std::vector<CostPoint> points;
};

struct CostChart {
  std::string of;  // what `size` counts: "longer side of the picture, in pixels", "positions"
  std::string at;  // the experiment's own extents: "21 × 32", "12 positions"
  Index size = 0;  // the experiment's own
  Cost own;
  std::vector<CostCurve> curves;
};

// Curves of the mechanism as it is and of its cheaper or dearer form, where it has one (whole picture and window, all
// keys and pooled keys). Empty where sizes cannot be varied: inputs of several lengths.
CostChart cost_chart(const Problem& problem);

// "1.3 G", "42 M": a count in words of a thousand.
std::string count_text(double count);

}  // namespace headlight::app
