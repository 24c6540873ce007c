// What is no single step, in sentences: measures of heads, the heads of all layers, what differs between two runs.
// Every number is the trace's, or a measure's.
#pragma once

#include <string>
#include <vector>

#include "app/reading/head_measures.h"
#include "app/reading/slice.h"

namespace headlight::app {

// A line a measure that there is a number of: which head has the most and which the least.
std::string describe_heads(const Trace& trace, const HeadMeasures& measures);

// The same of the heads of several layers.
std::string describe_layers(const std::vector<MeasuredLayer>& layers);

// Of a step of B and the same of A: where they differ most and by how much, and what becomes of the output. The step
// of A may be null: then that is said.
std::string describe_difference(const Trace& a, const Focus& focus_a, const Trace& b, const Step& step_b,
                                const Focus& focus_b);

}  // namespace headlight::app
