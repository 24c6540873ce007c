// The one scale that a colour bar stands for: which numbers it covers, where a number lies on it, and its ticks.
#pragma once

#include <string>
#include <vector>

#include "engine/math/extent.h"
#include "engine/picture/matrix.h"
#include "engine/trace/step.h"

namespace headlight {

Extent extent_of(const MatrixView& matrix);

// How the scale is divided: evenly, by powers, or evenly up to the greatest number of each row. Pictures are drawn
// linear: apply_spacing() moves cells to where they lie on another scale.
enum class Spacing { linear, logarithmic, row_max };

// Scale and offset of the same line that the shader draws with: t = value · scale + offset, in float32.
struct Normalisation {
  float scale = 1;
  float offset = 0;
  float operator()(float value) const { return value * scale + offset; }
};

// low < high, and both so far from float32's limits that normalising neither overflows nor loses zero.
struct ValueRange {
  float low = 0;
  float high = 1;
  Spacing spacing = Spacing::linear;

  // Zero in the middle.
  bool is_signed() const { return low < 0; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

// The policy, so that pictures of one kind compare:
//   probability, mask   0 to 1; 0 to the greatest where that is above 1 (dropout scales weights up)
//   all others          −a to a, where a is the greatest magnitude
// A probability or mask with a negative number in it is drawn as the others are (unnormalised weights, additive masks).
// No finite cell, or nothing but zeros: 0 to 1, or −1 to 1.
ValueRange value_range(Kind kind, const Extent& extent);

Normalisation normalisation(const ValueRange& range);
// 0 at low, 1 at high, and beyond them outside the range. NaN stays NaN. For a linear range.
float normalise(float value, const ValueRange& range);

struct Tick {
  double value = 0;
  std::string text;
};

// Round numbers inside the range, at least three where `least_count` is 3: the coarsest step of 1, 2 or 5 times a power
// of ten that gives `least_count`.
std::vector<Tick> ticks(const ValueRange& range, int least_count = 3);

// For scales that are not linear. (rows, columns): where each cell lies on spacing_range(range), which is 0 to 1, or −1
// to 1 for rows with negative numbers. Logarithmic: low is 0 and high is 1, low must be above 0, and so is drawn what
// is less. By rows: each number as a part of the greatest magnitude of its row. Masked and broken cells stay.
Tensor apply_spacing(const MatrixView& cells, const ValueRange& range);
// The linear range that apply_spacing() cells are drawn on; a linear range itself.
ValueRange spacing_range(const ValueRange& range);

// A tick and how far along its bar it stands, 0 to 1.
struct ScaleTick {
  double part = 0;
  std::string text;
};
// Of a bar for any spacing: round numbers, powers of ten where it is logarithmic, and parts of the row's greatest.
std::vector<ScaleTick> scale_ticks(const ValueRange& range);

// A number for reading beside a picture, to three significant digits: "−3.71", "0.5", "2e−7".
std::string value_text(double value);
// A number for a small cell of a picture with this range: ".86", "1.00", "−0.4"; "" where masked, "NaN", "inf".
std::string cell_text(float value, const ValueRange& range);

}  // namespace headlight
