// Runs experiments off the caller's thread. The newest request wins: it cancels the one under way, and a request that
// was still waiting is dropped. Results are immutable and shared.
//
// Not for running many things side by side; the run itself uses all the threads of its pool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/parallel.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/trace/trace.h"

namespace headlight {

// One finished run. `error` is empty when there is a trace.
struct Outcome {
  std::uint64_t ticket = 0;  // the submit() that asked for it
  std::shared_ptr<const Experiment> experiment;
  std::shared_ptr<const Problem> problem;  // null when it could not be prepared
  std::shared_ptr<const Trace> trace;
  std::string error;
  std::optional<TooLarge> too_large;  // with an error: it was refused for its size
  double seconds = 0;
};

class Runner {
 public:
  // `on_finished` is called from the worker when a result waits to be polled (to wake a sleeping window).
  explicit Runner(std::function<void()> on_finished = {}, int threads = 0);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Never waits. Returns the ticket that the outcome will carry. A run of more pairs of query and key in a head than
  // `most_pairs` is refused; 0: any number.
  std::uint64_t submit(std::shared_ptr<const Experiment> experiment, double most_pairs = 0);
  // Stops what is under way; the last outcome stays valid.
  void cancel();
  // The newest outcome not yet taken; never a cancelled one.
  std::optional<Outcome> poll();
  bool busy() const;
  // 0 to 1 of the run under way.
  float progress() const;
  // How long the run under way has taken, in seconds; 0 when idle.
  double elapsed() const;
  // What its runs have read and drawn.
  const RunCache& cache() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
