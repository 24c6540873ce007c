// A training on a thread of its own, at a pace that eyes can follow: played, paused, taken step by step, gone back to.
//
// What the window gets of it never changes (engine/learn/film.h): each piece of news is another film.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/model/training.h"
#include "engine/core/served_by.h"
#include "engine/learn/film.h"

namespace headlight::app {

// A part of the network after a step, as an experiment, and where that was asked for, after another one before.
struct Explored {
  Index step = 0, map = 0;
  Experiment experiment;
  std::optional<Index> step_before = {};
  Experiment before = {};
};

// A folder that it was to be written into.
struct SavedTraining {
  std::filesystem::path folder;
  Index step = 0;
  std::string error;  // why it was not
};

// What there is of the training, since it was asked last.
struct TrainerNews {
  std::shared_ptr<const learn::Film> film;        // null: it could not begin
  std::shared_ptr<const learn::FilmFrame> asked;  // the step that was asked for last, once it is made again
  std::shared_ptr<const Explored> explored;       // what was asked for to be explored
  std::shared_ptr<const SavedTraining> saved;     // what became of a folder that was asked for
  std::shared_ptr<const TrainHeads> heads;        // once they are measured
  std::string error;                              // why there is no more of it
};

class Trainer {
 public:
  // `on_change` is called from the worker when there is news.
  // Served by its caller it starts no thread, and pump() takes the steps.
  explicit Trainer(std::function<void()> on_change = {}, ServedBy served_by = ServedBy::own_thread);
  // Gives up the step that is under way.
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // In place of the training before; it stands at step 0. Never waits, as none of these. `schedule`: what is to change
  // on the way.
  void begin(learn::TrainingPlan plan, learn::Schedule schedule = {});
  bool has_begun() const;
  // Until it is paused, at its end, or, if that is asked, until the task is learned.
  void play(bool until_learned = false);
  // As fast as it goes.
  void play_to(Index step);
  void pause();
  void take_step();
  void apply_settings(
      const learn::StepSettings& settings);  // from the next step on; where that cannot be, it rests and says so
  void set_steps(Index steps);               // in all, but for those that were taken
  void set_pace(double per_second);          // steps; 0: as fast as it goes
  void look_at(Index step);                  // one that was not kept as it is wanted is made again
  void want_slopes(bool wanted);             // of frames from here on, and of those that are made again
  void explore(Index step, Index map, std::optional<Index> before = std::nullopt);
  void change_head(learn::TrainedHead head, learn::HeadChange::To to);  // before the next step
  void measure_heads();                                                 // as they stand
  void save(std::filesystem::path folder);

  // Where the caller serves: takes steps until that time, as far as they are due; false where none is.
  bool pump(std::chrono::steady_clock::time_point until);
  bool playing() const;
  // Whether news is to come without a pause: steps that wait for their time do not count.
  bool busy() const;
  std::optional<TrainerNews> poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
