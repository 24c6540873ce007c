// Axes of inputs and weights: what the symbols of a specification mean, and how formulas count them.
#pragma once

#include <vector>

#include "engine/variants/variant.h"

namespace headlight {

// The axes of an array of that specification. A dry run has no tensor, and gets no labels.
std::vector<Axis> axes_of_array(const Problem& problem, const ArraySpec& spec, const Tensor* tensor, bool dry);

// Sets the letters by which formulas count the places of the axis.
void set_letters(Axis& axis);

// Sets where the places of the axis lie, and what somebody called them.
void add_places(const Problem& problem, Axis& axis);

// Sets how many heads of the run share a place of an axis of heads.
void set_shared_heads(const Problem& problem, Axis& axis);

}  // namespace headlight
