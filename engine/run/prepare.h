// From an experiment to a problem: reads its arrays, makes its inputs and weights, and checks that all shapes agree,
// so that a variant's record() can rely on every one of them.
#pragma once

#include "engine/core/result.h"
#include "engine/io/experiment.h"
#include "engine/run/inputs.h"
#include "engine/variants/variant.h"

namespace headlight {

// What a run may take before it is refused.
struct Budget {
  double bytes = 0;
  // Half of the memory that the machine has free now.
  static Budget of_this_machine();
};

// Errors name the experiment's key or the file's array, what was found, and what is allowed. Refuses over budget before
// anything large is made.
// A cache saves reading pictures again; it may be null.
Result<Problem> prepare(const Experiment& experiment, const Budget& budget = Budget::of_this_machine(),
                        InputCache* cache = nullptr);

// "1.1 GiB", "640 KiB".
std::string bytes_text(double bytes);

}  // namespace headlight
