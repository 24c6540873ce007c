// What an expression over runs comes to: a number, a truth, a text, an array of some of a step's numbers, or places.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/axis.h"

namespace headlight {

// An axis of which some positions were taken: it knows which they are, and what they are called.
struct TakenAxis {
  Axis axis;                     // as the step has it
  std::vector<Index> positions;  // of that axis, in the order in which they were taken
};

// Numbers in double precision, in C order over their axes.
struct NumberArray {
  std::vector<TakenAxis> axes;  // none: one number
  std::vector<double> numbers;
};

// One position along an axis, or several that serve as well: the keys of equal weight that an argmax found.
struct AxisPlace {
  Axis axis;
  std::vector<Index> positions;  // never empty; the first is the one that is printed
};
// A place along each of several axes: a cell by its query and key.
using AxisPlaces = std::vector<AxisPlace>;

struct WrittenNumber {
  double number = 0;
  int decimals = -1;  // as many as were typed behind the point, where it was typed; below 0: it was computed
};

using Value = std::variant<WrittenNumber, bool, std::string, NumberArray, AxisPlaces>;

inline Value number_value(double number) {
  return WrittenNumber{number, -1};
}

// The one number that a value is; nothing where it is none.
std::optional<double> as_number(const Value& value);
// "a number", "12 × 12 numbers", "a place": what messages call it.
std::string kind_of(const Value& value);
// What the position is called: "cat", "row 4, column 7" of a grid, "3" where it has no label.
std::string label_of_place(const AxisPlace& place);

// The three letters that name positions in brackets: h3, q9, k3; b0 and c5. Empty for other axes.
std::string_view letter_of(AxisRole along);

}  // namespace headlight
