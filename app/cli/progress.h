// A run with a progress line on a terminal: shown only when standard error is one and the run takes longer than a
// blink.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// The line of a run that somebody else makes, and Ctrl-C as a request to stop, as long as it lives.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  std::stop_token stop_token() const;
  std::atomic<float>* fraction() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct RunResult {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

// Prepares and runs; warnings of the trace and its steps go to standard error, one a line, unless quiet.
// Ctrl-C stops it cleanly with the error "cancelled".
Result<RunResult> run_with_progress(const Experiment& experiment, bool quiet);

// The change in a run's output without each of its heads, a run for each, with the same progress and way to stop.
Result<std::vector<double>> ablate_heads(const Experiment& experiment, const Trace& trace, Index heads, bool quiet);

}  // namespace headlight::app
