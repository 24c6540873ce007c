#include "app/model/learner.h"

#include "app/model/lesson_scene.h"

namespace headlight::app {

const PlayedStep& played_step(const Model& model) {
  return model.learner.played->steps[model.learner.step];
}

const LessonAnswered* answered(const Model& model) {
  return model.learner.answers[model.learner.step].get();
}

bool is_asked(const Model& model) {
  return model.learner.played->lesson->steps[model.learner.step].ask.has_value() && !answered(model);
}

const LessonScene& lesson_scene(const Model& model) {
  const PlayedStep& step = played_step(model);
  return is_asked(model) ? step.asked : step.answered;
}

}  // namespace headlight::app
