// A training: a task, its options and a seed, taken step by step. The same seed gives the same bits with any number of
// threads, and going on from a snapshot gives what would have come without a break.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/learn/heads.h"
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
  std::string notes = {};                // for whoever reads the file
  std::vector<HeadChange> changes = {};  // by their steps
};

// What may change between two steps.
struct StepSettings {
  double rate = 0;
  Index batch = 0;  // examples that a step learns from
  bool operator==(const StepSettings&) const = default;
};
// From each of these steps on.
using Schedule = std::map<Index, StepSettings>;

// As the options have them, before any change.
StepSettings first_settings(const TrainingPlan& plan);
// At a step; `first` before the first change.
StepSettings settings_at(const Schedule& schedule, Index step, const StepSettings& first);

// Where a training stood: all that going on needs.
struct Snapshot {
  Index step = 0;
  Numbers weights = {}, means = {}, squares = {};  // by the names of weights
};

// What was no number first.
struct NonFiniteAt {
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
  const std::optional<NonFiniteAt>& broken() const { return broken_; }

  // On examples that nobody learns from: "loss", and the task's own. Errors: no room for them.
  Result<Figures> measure(Compute& compute);
  // The same with those heads off besides, as if they had been switched off.
  Result<Figures> measure_without(const TrainedHeads& heads, Compute& compute);
  // The first kind of those examples and the network that it went through, as they were measured last: once somebody
  // has.
  const Network& held_out() const { return *held_out_.front(); }
  // Of the first of them. Errors: no room.
  Result<Slopes> slopes(Compute& compute);
  // From here on; the plan keeps what it began with. Errors, after which all is as it was: options that do not go with
  // such a batch, no room for it.
  Status set(const StepSettings& settings, Compute& compute);
  // How many there are to be in all; the rates of a schedule that ends with them follow.
  void set_steps(Index steps) { plan_.steps = steps; }

  // Heads that can be switched off: those of the maps that multi_head makes.
  TrainedHeads heads() const;
  TrainedHeads heads_off() const { return heads_off_at(plan_.changes, step()); }
  // Changes a head at the current step and records it in the plan; undoing a change of the same step removes both.
  // Errors: no such head.
  Status change(TrainedHead head, HeadChange::To to);
  // Those are off from here on, all others on.
  Status set_heads_off(const TrainedHeads& off);

  // The weights in use; w_o is 0 where heads are off.
  const Numbers& weights() const { return weights_; }
  // The names of those that are learned.
  std::vector<std::string> learned() const { return network_->trained(); }
  Snapshot snapshot() const;
  // A snapshot of this plan. Errors: one of other weights.
  Status restore(const Snapshot& snapshot);

 private:
  explicit Training(TrainingPlan plan) : plan_(std::move(plan)) {}
  Status make_networks(Compute& compute);
  Result<std::unique_ptr<Network>> network_of(const TaskOptions& options, Compute& compute);
  Status check_head(TrainedHead head) const;
  std::vector<OwnCells> cells_of(TrainedHead head) const;
  // Applies the plan's changes up to this step to the weights. May be called again.
  void apply_changes();
  void draw_anew(TrainedHead head);
  // Its cells of w_o become 0. Returns what they were.
  std::vector<float> silence(TrainedHead head);

  TrainingPlan plan_;
  StepSettings settings_;
  TaskOptions options_;  // the plan's, with the batch as it is
  NetworkPlan parts_;
  Numbers weights_;
  std::map<TrainedHead, std::vector<float>> kept_;  // of heads that are off: their cells of w_o
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Network>> held_out_;  // once somebody has measured
  std::unique_ptr<Network> example_;                // once somebody has wanted its slopes
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<NonFiniteAt> broken_;
};

}  // namespace headlight::learn
