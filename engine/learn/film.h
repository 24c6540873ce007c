// A training as a film: what it looked like at every step that was kept, so that one can go back to any of them and
// watch it again. Attention maps are those of one example that nobody learns from.
//
// Steps between are made again from snapshots, to the same bits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/learn/importance.h"
#include "engine/learn/training.h"

namespace headlight::learn {

// The state of a training after `step` steps. Immutable.
struct FilmFrame {
  Index step = 0;
  double loss = 0;                                  // on all held-out examples
  Figures figures;                                  // the task's own, on the same
  std::vector<std::shared_ptr<const Tensor>> maps;  // (M, n_q, n_k) of each part, −∞ where a key is hidden
  std::shared_ptr<const Tensor> prediction;         // of the example: shares of answers (n, V), else what is said
  std::shared_ptr<const Slopes> slopes;             // of the example; null: nobody wanted them

  std::size_t bytes() const;
};

// The example that is looked at: the first of those held out.
struct FilmExample {
  std::vector<ShownMap> maps;
  ExampleWords words;
  bool shares = false;                      // what is said is a share for each answer
  std::shared_ptr<const Tensor> right;      // the answers: their numbers, −1 where nothing is asked; or what is right
  std::shared_ptr<const Tensor> asked;      // 1 where something is, of what is no number of an answer; else null
  std::shared_ptr<const Tensor> picture;    // (C, rows, columns) or (C, frames, rows, columns); null: it is none
  Index frames = 0, rows = 0, columns = 0;  // of the picture
  Index held_out_count = 0;
};

// The first held-out example of a plan, without predictions.
FilmExample example_of(const TrainingPlan& plan);

// The film up to now.
struct Film {
  std::shared_ptr<const TrainingPlan> plan;
  std::shared_ptr<const FilmExample> example;
  std::vector<std::shared_ptr<const FilmFrame>> frames;  // that are kept, by their steps; the first is step 0
  std::shared_ptr<const FilmFrame> newest;               // of the last step that was measured, kept or not
  Schedule schedule;                                     // the first at step 0
  Index step = 0;                                        // steps that were taken
  Index weights = 0;                                     // how many numbers are learned
  TrainedHeads heads;                                    // that can be switched off
  std::size_t snapshots = 0, snapshot_bytes = 0, frame_bytes = 0;
  std::optional<NonFiniteAt> broken;

  // Of that very step; null where it was not kept.
  std::shared_ptr<const FilmFrame> frame_at(Index step) const;
  bool is_at_end() const { return step >= plan->steps; }
  bool has_more_steps() const { return !broken && !is_at_end(); }
  // Whether the figure that says so has come to its threshold at that frame.
  bool has_learned(const FilmFrame& frame) const { return plan->task->info().is_learned(frame.figures); }
  // The first of the kept steps at which it had; nothing where it has not.
  std::optional<Index> learned_at() const;
};

// Takes the steps of a training and keeps what they look like.
class Filming {
 public:
  // How much may be kept; beyond it every other one is let go.
  struct Room {
    std::size_t frames = std::size_t{64} << 20, snapshots = std::size_t{64} << 20;  // bytes
  };

  // Draws the weights and keeps step 0. Errors: those of Training.
  static Result<std::unique_ptr<Filming>> begin(TrainingPlan plan, Compute& compute, Room room);
  static Result<std::unique_ptr<Filming>> begin(TrainingPlan plan, Compute& compute) {
    return begin(std::move(plan), compute, Room());
  }

  const Film& film() const { return film_; }
  // Takes the next step. Steps up to 100 are kept and then every fifth; others are measured where that is asked for.
  Status take_step(bool measured, Compute& compute);
  // Measures where it stands, if it was not. A loss that is no number is where it broke.
  Status measure(Compute& compute);
  // From here on. Errors: those of Training::set.
  Status set(const StepSettings& settings, Compute& compute);
  // Sets the number of steps in all, at least those taken.
  void set_steps(Index steps);
  // The schedule of a training that is taken once more.
  void set_schedule(const Schedule& schedule);
  // Whether frames that are taken or made again come with their slopes.
  void want_slopes(bool wanted) { slopes_wanted_ = wanted; }
  // Of a head, from here on; what it stands at is seen anew. At its end there are more steps to come.
  Status change(TrainedHead head, HeadChange::To to, Compute& compute);
  // Of the heads as they stand.
  Result<HeadImportance> importance(Compute& compute);
  // The frame of a step that was taken; computed again from the snapshot before it where none is kept, or none with
  // slopes, if they are wanted.
  Result<std::shared_ptr<const FilmFrame>> replay(Index step, Compute& compute);
  // Writes the folder of the training as it stands (training_folder.h). Errors: it cannot be written.
  Status save(const std::filesystem::path& folder) const;
  // The part whose map that is, on the example that is looked at, after that step: as an experiment of its mechanism.
  Result<Experiment> explore(Index step, Index map, Compute& compute);

 private:
  Filming(std::unique_ptr<Training> training, Room room) : training_(std::move(training)), room_(room) {}
  Result<std::shared_ptr<const FilmFrame>> capture(Compute& compute);
  // Looks at how it stood after a step, and comes back to where it stands.
  template <class Look>
  Status visit_step(Index step, Compute& compute, const Look& look);
  bool keeps(Index step) const;
  void keep(std::shared_ptr<const FilmFrame> frame);
  void replace(const std::shared_ptr<const FilmFrame>& frame);
  void make_room();
  Status add_frame(Compute& compute);
  void keep_snapshot();
  // The next step, with the settings scheduled for it.
  Result<double> advance(Compute& compute);

  std::unique_ptr<Training> training_;
  Room room_;
  Film film_;
  std::vector<double> losses_;  // of each step's examples, before it
  bool slopes_wanted_ = false;
  Index frame_stride_ = 1;  // every how many-th of the kept steps is left
  Index snapshot_every_ = 25;
  std::map<Index, Snapshot> snapshots_;
};

}  // namespace headlight::learn
