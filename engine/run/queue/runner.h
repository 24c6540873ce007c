// Runs experiments off the caller's thread. The newest request wins: it cancels the one under way, and a request that
// was still waiting is dropped. Results are immutable and shared.
//
// Not for running many things side by side (side_runs.h); the run itself uses all the threads of its pool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engine/io/experiment.h"
#include "engine/run/outcome.h"

namespace headlight {

class RunCache;
class RunQueue;

class Runner {
 public:
  // With a queue of its own. `on_finished` is called from the worker when a result waits to be polled (to wake a
  // sleeping window).
  explicit Runner(std::function<void()> on_finished = {}, int threads = 0);
  // The main runs of that queue, which must outlive it.
  explicit Runner(RunQueue& queue);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Never waits. Returns the ticket that the outcome will carry, larger than those before. A run of more pairs of query
  // and key in a head than `most_pairs` is refused; 0: any number.
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
