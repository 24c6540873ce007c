// Questions that the notes of an experiment ask a class: fences as lessons have them, "ask choice".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/scope.h"
#include "engine/base/result.h"

namespace headlight::app {

struct NoteQuestion {
  std::string asked;
  std::vector<std::string> options;  // two or more
  std::size_t right = 0;
  std::string because;            // said after the answer; may be empty
  std::optional<Index> row = {};  // the query that it is about, whose row is hidden until the answer
};

// In their order, with what a run makes of their expressions. Errors: one line that says where in the notes.
std::vector<Result<NoteQuestion>> questions_in_notes(const std::string& notes, const LessonRun& run);
// The query that one of them is about, by its place from 0, without anything being computed.
std::optional<Index> row_of_note_question(const std::string& notes, const LessonRun& run, std::size_t at);
// How many there are, and the notes without them.
std::size_t count_questions_in_notes(const std::string& notes);
std::string notes_without_questions(const std::string& notes);

}  // namespace headlight::app
