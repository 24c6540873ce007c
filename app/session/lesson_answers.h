// Answers that nobody typed: right ones, wrong ones or any, to every question of a lesson.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/lesson_scene.h"

namespace headlight::app {

enum class AnswerHow { right, wrong, random };

// A question, what was answered, and what was said to it.
struct GivenAnswer {
  std::size_t step = 0;
  std::string_view kind;
  std::string question, said, truth, reply;
  std::string typed;  // what was said, as AnswerLesson takes it; empty where it is to be done
  bool right = false;
};
// The answer as AnswerLesson takes it; empty for a deed.
std::string typed_answer(const LessonQuestion& question, const LessonTruth& truth, const Value& answer);

// The lesson was played without a mistake.
std::vector<GivenAnswer> answers_given(const PlayedLesson& played, AnswerHow how, std::uint64_t seed);

}  // namespace headlight::app
