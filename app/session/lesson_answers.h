// Answers to the questions of a lesson: a learner's, or right ones, wrong ones or any that nobody typed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/lesson_scene.h"

namespace headlight::app {

enum class AnswerMode { right, wrong, random };

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

// What a learner answered, in the order of the steps.
std::vector<GivenAnswer> answers_of(const Learner& learner);

// A line an answer; the heading stands above the lines of all lessons.
inline constexpr const char* answers_heading = "lesson,step,title,kind,answer,truth,right,reply\n";
std::string answers_as_csv(const Lesson& lesson, const std::vector<GivenAnswer>& answers);

// The lesson was played without a mistake.
std::vector<GivenAnswer> answers_given(const PlayedLesson& played, AnswerMode how, std::uint64_t seed);

}  // namespace headlight::app
