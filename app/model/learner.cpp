#include "app/model/learner.h"

#include <algorithm>

#include "app/model/lesson_scene.h"

namespace headlight::app {

std::filesystem::path lessons_folder(const std::filesystem::path& examples) {
  return examples.empty() ? std::filesystem::path() : examples.parent_path() / "lessons";
}

std::filesystem::path first_lesson(const Model& model) {
  return lessons_folder(model.examples) / (std::string(lesson_path.front()) + ".lesson.md");
}

bool presents_lesson(const Model& model) {
  return shows_lesson(model) && model.learner.large;
}

bool shows_lesson(const Model& model) {
  return model.screen == Screen::lessons && model.learner.played;
}

const PlayedStep& played_step(const Model& model) {
  return model.learner.played->steps[model.learner.step];
}

const LessonStep& lesson_step(const Model& model) {
  return model.learner.played->lesson->steps[model.learner.step];
}

const LessonAnswered* answered(const Model& model) {
  return model.learner.answers[model.learner.step].get();
}

bool awaits_answer(const Model& model) {
  return lesson_step(model).ask.has_value() && !answered(model);
}

bool has_answers(const Learner& learner) {
  return std::ranges::any_of(learner.answers, [](const auto& answer) { return answer != nullptr; });
}

const LessonScene& lesson_scene(const Model& model) {
  const PlayedStep& step = played_step(model);
  return awaits_answer(model) ? step.asked : step.answered;
}

}  // namespace headlight::app
