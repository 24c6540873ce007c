// Who asks the queue for runs: the runner for the main one, of which the newest request wins, and side runs beside it,
// each under a key. Results are immutable and shared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/run/queue/run_queue.h"

namespace headlight {

// A request cancels the one under way, and a request that was still waiting is dropped.
class Runner {
 public:
  // The main runs of that queue, which must outlive it.
  explicit Runner(RunQueue& queue) : runs_(queue, RunRank::main) {}

  // Never waits. Returns the ticket that the outcome will carry, larger than those before. A run of more pairs of query
  // and key in a head than `most_pairs` is refused; 0: any number.
  std::uint64_t submit(std::shared_ptr<const Experiment> experiment, double most_pairs = 0);
  // Stops what is under way; the last outcome stays valid.
  void cancel();
  // The newest outcome not yet taken; never a cancelled one.
  std::optional<Outcome> poll();
  bool busy() const { return runs_.busy(); }
  // 0 to 1 of the run under way.
  float progress() const { return runs_.progress(); }
  // How long the run under way has taken, in seconds; 0 when idle.
  double elapsed() const { return runs_.elapsed(); }

 private:
  void take_finished();

  RunQueue::Client runs_;
  std::optional<Outcome> finished_;  // the newest alone
};

// What the main run is compared with, further experiments of a figure. Of one key the newest experiment counts. For
// one thread.
class SideRuns {
 public:
  // In that queue, which must outlive it, after its main runs.
  explicit SideRuns(RunQueue& queue) : runs_(queue, RunRank::side) {}

  // Takes the place of what was asked under the key, unless that is the same experiment.
  void ask(const std::string& key, std::shared_ptr<const Experiment> experiment, double most_pairs = 0);
  // Stops what is under way under keys that begin so, and drops what waits.
  void drop(std::string_view beginning);
  // What is done, with its key.
  std::optional<std::pair<std::string, Outcome>> poll();
  // Whether anything was asked under keys that begin so and has not been polled.
  bool busy(std::string_view beginning = {}) const;

 private:
  struct Asked {
    std::uint64_t ticket = 0;
    std::shared_ptr<const Experiment> experiment;
  };
  RunQueue::Client runs_;
  std::map<std::string, Asked> asked_;
};

}  // namespace headlight
