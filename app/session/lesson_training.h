// Networks that learn while a lesson is carried out: a part of one after so many steps is an experiment of the lesson.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/io/experiment.h"
#include "engine/learn/training.h"

namespace headlight::app {

class LessonTrainings {
 public:
  // {"train": {…}, "after": 125, "map": 1, "example": 0}: the training as in its own files; "after" so many steps, left
  // out its last; which of its maps, left out the last, and on which example held out, left out the first. A training
  // that was asked for before goes on from where it was looked at. Errors: as of trainings; more than 1000 steps, which
  // nobody would wait for; a text outside of the folder; "cancelled".
  Result<Experiment> experiment_of(const std::string& json, const std::filesystem::path& folder,
                                   const std::string& name, const std::stop_token& stop);

 private:
  struct Taken {
    std::unique_ptr<learn::Training> training;
    std::map<Index, learn::Snapshot> snapshots;  // where it was looked at
  };
  static Status go_to(Index step, Taken& taken, Compute& compute);

  std::map<std::string, Taken> trainings_;  // by their plans
};

}  // namespace headlight::app
