// A training: a task, its options and a seed, taken step by step. The same seed gives the same bits with any number of
// threads, and going on from a snapshot gives what would have come without a break.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/learn/optimizer.h"
#include "engine/learn/slopes.h"
#include "engine/learn/task.h"

namespace headlight::learn {

struct TrainingPlan {
  const Task* task = nullptr;
  TaskOptions options;
  ParamValues optimizer = ParamValues::defaults(optimizer_settings());
  Index steps = 300;
  std::uint64_t seed = 1;
  std::string notes = {};  // for whoever reads the file
};

// Where a training stood: all that going on needs.
struct Snapshot {
  Index step = 0;
  Numbers weights, means, squares;  // by the names of weights
};

// What was no number first.
struct BrokenAt {
  Index step = 0;
  std::string array;  // "x1: scaled_scores"
};

class Training {
 public:
  // Draws the weights. Errors: options that do not go together, no room, a mechanism that has no gradients.
  static Result<std::unique_ptr<Training>> make(TrainingPlan plan, Compute& compute);

  const TrainingPlan& plan() const { return plan_; }
  // Steps that were taken.
  Index step() const { return optimizer_->steps(); }
  // Takes the next one, and gives the loss of its examples before it.
  double take_step(Compute& compute);
  // Once a loss was no number.
  const std::optional<BrokenAt>& broken() const { return broken_; }

  // On examples that nobody learns from: "loss", and the task's own. Errors: no room for them.
  Result<Figures> measure(Compute& compute);
  // The first kind of those examples and the network that it went through, as they were measured last: once somebody
  // has.
  const Network& held_out() const { return *held_out_.front(); }
  // Of the first of them. Errors: no room.
  Result<Slopes> slopes(Compute& compute);
  // The rate from here on.
  void set_rate(double rate) { rate_ = rate; }

  const Numbers& weights() const { return weights_; }
  // The names of those that are learned.
  std::vector<std::string> learned() const { return network_->trained(); }
  Snapshot snapshot() const;
  // A snapshot of this plan. Errors: one of other weights.
  Status go_back_to(const Snapshot& snapshot);

 private:
  explicit Training(TrainingPlan plan) : plan_(std::move(plan)) {}
  Status make_networks(Compute& compute);

  TrainingPlan plan_;
  double rate_ = 0;
  Numbers weights_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Network>> held_out_;  // once somebody has measured
  std::unique_ptr<Network> example_;                // once somebody has wanted its slopes
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<BrokenAt> broken_;
};

}  // namespace headlight::learn
