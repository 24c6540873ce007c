// What expressions do with arrays: take positions, match axes, reduce.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/expressions/node.h"

namespace headlight {

// Numbers that can be read at any place without having been copied: those of a step.
struct NumberSource {
  std::vector<TakenAxis> axes;
  std::function<double(Index flat)> at;
};
NumberSource source_of(const Step& step);
NumberSource source_of(NumberArray array);

// The position of a label along an axis; `nth` counts those of the same label from 1, 0: there must be one. Error:
// there is none, or there are several.
Result<Index> position_of_label(const Axis& axis, const std::string& label, int nth);

// What brackets take of it; `computed` carries out what stands in parentheses among them. Axes of batch and head that
// have one position need not be named. Without brackets: all.
ExpressionResult<NumberArray> select(const NumberSource& source, const std::vector<IndexRange>& ranges, std::size_t at,
                                     const std::string& name,
                                     const std::function<ExpressionResult<Value>(const ExpressionNode&)>& computed);

using BinaryFunction = double (*)(double, double);
// Applies `function` to a and b, broadcast over the axes that only one of them has. Error: they do not fit.
Result<NumberArray> combined(const NumberArray& a, const NumberArray& b, BinaryFunction function);

// max, min, sum, mean, entropy, norm: all numbers to one, or along one axis.
Result<NumberArray> reduced(const NumberArray& array, std::string_view function, std::optional<std::size_t> along);
// The place of the largest (or smallest) number, with those that equal it where there is one axis.
Result<AxisPlaces> place_of_extreme(const NumberArray& array, bool largest);
// The axis that "over" names, by letter or by name.
Result<std::size_t> axis_named(const NumberArray& array, const std::string& name);

// "8 heads × 12 queries × 12 keys"
std::string extents_in_words(const std::vector<TakenAxis>& axes);

}  // namespace headlight
