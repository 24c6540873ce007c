// A run with a progress line on a terminal: shown only when standard error is one and the run takes longer than a
// blink.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct Ran {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

// Prepares and runs; warnings of the trace and its steps go to standard error, one a line, unless quiet.
// Ctrl-C stops it cleanly with the error "cancelled".
Result<Ran> run_with_progress(const Experiment& experiment, bool quiet);

// The change in a run's output without each of its heads, a run for each, with the same progress and way to stop.
Result<std::vector<double>> changes_without_heads(const Experiment& experiment, const Trace& trace, Index heads,
                                                  bool quiet);

}  // namespace headlight::app
