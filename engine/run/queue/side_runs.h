// Runs beside the main one: what it is compared with, further experiments of a figure. Each stands under a key; of one
// key the newest experiment counts.
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

// For one thread.
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
