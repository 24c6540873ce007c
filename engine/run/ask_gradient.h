// An experiment's question for gradients, in a problem: whether the run has the number that it is about.
#pragma once

#include "engine/base/result.h"
#include "engine/variants/variant.h"

namespace headlight {

// Keeps the question with the problem, which is ready but for it. Errors list the ids there are, or the extents.
Status ask_gradient(const GradientAsked& asked, Problem& problem);

}  // namespace headlight
