// From an experiment to a problem: reads its arrays, makes its inputs and weights, and checks that all shapes agree,
// so that a variant's record() can rely on every one of them.
#pragma once

#include "engine/base/result.h"
#include "engine/core/memory.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

class RunCache;

// What a run may take before it is refused.
struct Budget {
  double bytes = 0;
  double pairs = 0;  // of a query and a key, in one head; 0: any number
  // Half of the memory that the machine has free now, and any number of pairs.
  static Budget of_this_machine();
};

// Why a run was refused for its size, and the ways out.
struct TooLarge {
  double bytes = 0;  // of the whole run
  double pairs = 0;
  bool fits = false;                    // it may still run whole: its pairs are many, its bytes are free
  std::optional<Index> one_query = {};  // the middle query, where a variant can do with one
};

// Errors name the experiment's key or the file's array, what was found, and what is allowed. Refuses over budget before
// anything large is made, and tells `too_large`, which may be null.
// A cache saves reading files, decoding pictures and drawing weights again; it may be null.
Result<Problem> prepare(const Experiment& experiment, const Budget& budget = Budget::of_this_machine(),
                        RunCache* cache = nullptr, std::optional<TooLarge>* too_large = nullptr);

}  // namespace headlight
