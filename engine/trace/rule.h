// What the rules of an explanation are called: beside Combine, so that a new rule does not compile until it has its
// words. Whoever tells a cell's story, in the window or on a worksheet, asks here.
#pragma once

#include "engine/trace/explanation.h"

namespace headlight {

struct Rule {
  const char* name;     // of the line that carries it out: "tanh"
  const char* opening;  // what stands before the scaled sum: "tanh("
  const char* closing;  // and after it: ")"
  bool of_sum;          // it carries on with scale · Σ terms
  bool of_own_term;     // one of its terms, `self`, is the cell's own
};

const Rule& rule_of(Combine combine);

}  // namespace headlight
