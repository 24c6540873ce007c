// Carries out a lesson's actions on one of its scenes, each on a run of its own, and nothing beside it: no file, no
// window, no other document.
#pragma once

#include <stop_token>
#include <string>

#include "app/model/lesson_scene.h"

namespace headlight::app {

class LessonStage {
 public:
  LessonStage(LessonScene& scene, std::stop_token stop) : scene_(scene), stop_(std::move(stop)) {}

  // Errors: a file outside of the lesson's folder; why it cannot be run.
  Status open(Experiment experiment);
  // A line as lesson_action() reads it. Errors: that it is no action, shows nothing in a lesson, does nothing here or
  // reaches beyond the lesson.
  Status act(const std::string& line);

 private:
  Status rerun(Model& model);

  LessonScene& scene_;
  std::stop_token stop_;
};

}  // namespace headlight::app
