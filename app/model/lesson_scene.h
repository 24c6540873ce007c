// What the steps of a lesson come to: for each the run, how it is looked at, what is hidden and what is asked, before
// the answer and after it. Made once when a lesson is opened (session/lesson_play.h); the learner's own changes are the
// document's.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/judging.h"
#include "app/lessons/scope.h"
#include "app/model/model.h"
#include "engine/picture/image.h"

namespace headlight::app {

// What of the picture is covered until the answer.
struct LessonHidden {
  enum class What { map, numbers, name, sums, row, column, cell } what = What::map;
  Index query = -1, key = -1;
  bool operator==(const LessonHidden&) const = default;
};

// What stands beside the map where a step says "part NAME": nothing else does.
inline constexpr std::array<std::string_view, 6> lesson_parts{"arrows", "sum", "bars", "heads", "strip", "formula"};

struct LessonScene {
  Document document;
  Outcome outcome;
  LessonRuns runs;  // beside the one that is shown
  std::vector<LessonHidden> hidden;
  std::vector<std::string> locked;  // beginnings of actions that the learner cannot do
  std::vector<std::string> parts;   // of lesson_parts

  LessonRun shown() const { return {outcome.experiment, outcome.trace}; }
};

// The question, printed.
struct PrintedQuestion {
  PrintedText question;
  std::vector<PrintedText> options, hints;
  std::optional<PrintedText> because;
};

// What was answered, and what is said to it.
struct LessonAnswered {
  Value value;
  bool right = false;
  bool given_up = false;  // the answer was asked for
  PrintedText reply;
  // Of a deed, of the run as it was done; else none.
  std::vector<PrintedText> texts = {};  // those of the step's parts
  std::optional<PrintedText> because = {};
};

struct PlayedStep {
  LessonScene asked, answered;
  std::vector<PrintedText> texts;  // one a part; empty for those that have none
  std::optional<LessonTruth> truth;
  PrintedQuestion question;
  std::vector<std::string> solution = {};  // of a deed: actions in their text form
};

struct PlayedLesson {
  std::shared_ptr<const Lesson> lesson;
  std::vector<PlayedStep> steps;        // one for each of the lesson's
  std::vector<LessonMistake> mistakes;  // in the order of the file; none: all that it says is so
  std::map<std::string, std::shared_ptr<const Image>, std::less<>> pictures = {};  // by the path that its text says
};

// Folder of the lessons that come with the program, and the first of them; empty where it comes with none.
std::filesystem::path lessons_folder(const std::filesystem::path& examples);
std::filesystem::path first_lesson(const Model& model);

}  // namespace headlight::app
