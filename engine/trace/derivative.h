// How one number changes with each of the numbers it was made from, read off its explanation: the chain rule's factor
// for every operand. A gradient of any operation can be made of these; faster ways are held to them.
#pragma once

#include <functional>

#include "engine/trace/explanation.h"

namespace headlight {

// Calls visit(operand, ∂number/∂operand) for every operand that is a cell of a recorded array, once for each place that
// it stands in, and leaves out those of 0. Of the largest term, and of what stands at a bend (ReLU at 0), the
// derivative is that of the branch that was taken.
void differentiate(const Explanation& explanation, const ValueOf& value_of,
                   const std::function<void(const Operand& operand, double partial)>& visit);

}  // namespace headlight
