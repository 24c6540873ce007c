// The lesson that is open: where one is in it, what was answered, and what to go back to; and which lessons there are.
//
// Plain data. What its steps come to is lesson_scene.h; what is done with it, update_lesson.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight::app {

struct History;
struct HistoryEntry;
struct LessonAnswered;
struct LessonScene;
struct LessonStep;
struct Model;
struct PlayedLesson;
struct PlayedStep;
struct PrintedPiece;
using PrintedText = std::vector<PrintedPiece>;

// A lesson that can be opened, as its file has it.
struct ListedLesson {
  std::filesystem::path path;
  std::string name;  // of the file, without its ending
  std::string title;
  std::string needs;
  int minutes = 0;
  std::size_t steps = 0;
  std::string mistake;                         // the first line that is wrong; empty: none
  std::shared_ptr<const PlayedLesson> played;  // null where it cannot be
};
// The lessons that come with the program, in the order of their path, and which of them begin a part of it.
inline constexpr std::array<std::string_view, 13> lesson_path{"one-row-by-hand",
                                                              "all-rows-at-once",
                                                              "why-divide",
                                                              "masks",
                                                              "heads",
                                                              "order",
                                                              "cross-attention",
                                                              "who-needs-a-query",
                                                              "non-local",
                                                              "windows",
                                                              "not-an-explanation",
                                                              "a-head-is-born",
                                                              "mistakes"};
struct LessonGroup {
  std::string_view title;
  std::size_t first;  // of the path
};
inline constexpr std::array<LessonGroup, 4> lesson_groups{
    {{"The computation", 0}, {"What heads do", 4}, {"Wider", 8}, {"Last", 12}}};

struct ListedLessons {
  std::vector<ListedLesson> shipped;  // in the order of the path
  std::filesystem::path folder;       // of what is open
  std::vector<ListedLesson> own;      // that lie in it
};

// How far one came in a lesson.
struct LessonProgress {
  std::size_t step = 0;  // where it was left
  std::size_t of = 0;    // steps that it had
  bool done = false;
  bool operator==(const LessonProgress&) const = default;
};

struct Learner {
  std::shared_ptr<const PlayedLesson> played;  // null: none is open
  std::filesystem::path path;
  std::size_t step = 0;
  std::vector<std::shared_ptr<const LessonAnswered>> answers;  // one a step; null: not answered yet
  std::size_t hints = 0;                                       // of this step's, that are shown
  bool shows_solution = false;                                 // of a deed that was given up
  std::shared_ptr<const PrintedText> reply;                    // of a deed: what is said to what was done instead
  std::shared_ptr<const HistoryEntry> before;                  // what was open
  std::shared_ptr<const History> history_before;               // and what had been done to it
  std::string problem;                                         // of its file as it was saved last; empty: none
  std::string stamp;                                           // stamp_of() the file that was read
  bool large = false;                                          // it is presented to a class
  bool opening = false;                                        // a lesson is being read
  std::shared_ptr<const ListedLessons> listed;                 // null: not read yet
  std::map<std::string, LessonProgress> progress;              // by the lesson's name
};

// Whether a lesson is what a class sees.
bool presents_lesson(const Model& model);
// Whether a lesson has the window.
bool shows_lesson(const Model& model);
// The step that is open; one must be.
const PlayedStep& played_step(const Model& model);
const LessonStep& lesson_step(const Model& model);  // the same as it is written
// What it shows: before its question is answered, or after.
const LessonScene& lesson_scene(const Model& model);
// Whether its question, if it has one, is still to be answered.
bool awaits_answer(const Model& model);
const LessonAnswered* answered(const Model& model);
bool has_answers(const Learner& learner);  // to any step

}  // namespace headlight::app
