// What the right answer to a question is, and what is said to any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/printing.h"

namespace headlight::app {

// What a question comes to in a run.
struct LessonTruth {
  AskKind kind = AskKind::number;
  Value value;             // a number; a place; a cell; the words of the right choice; what is ordered or sketched
  double within = 0;       // of numbers and bars: how far off is right
  std::size_t option = 0;  // of a choice: which is right
  Axis items = {};         // of an order: what is ordered, by labels
  std::vector<double> by;  // and their numbers
  std::optional<Value> now = {};  // the answer's expression in the run that is shown, where it asks another
};
// `row`: the query, where the answer is a cell and names its key only. Mistakes are added where the question comes to
// nothing.
std::optional<LessonTruth> truth_of(const LessonQuestion& question, const ExpressionScope& scope,
                                    std::optional<Index> row, std::vector<LessonMistake>& mistakes);

// An answer is a value as the truth is: a number as it was typed, a place, a cell, the words of a choice, places in
// their order, or numbers.
struct LessonVerdict {
  bool right = false;
  std::optional<std::size_t> reply = {};  // of the question's replies: the first whose condition holds
  const LessonText* says = nullptr;       // that reply, or what is said otherwise; null: nothing
};
LessonVerdict judge(const LessonQuestion& question, const LessonTruth& truth, const Value& answer,
                    ExpressionScope scope, std::vector<LessonMistake>& mistakes);

// All numbers that stand in a text, in their order.
std::vector<double> numbers_in_text(std::string text);
// The words of a choice as conditions compare them: a number where they are one.
Value value_of_option(const LessonOption& option);
// Answers that somebody could give: all of a choice, an order of few, a map that is small; of numbers those that are
// near what stands in conditions.
std::vector<Value> answers_to_try(const LessonQuestion& question, const LessonTruth& truth,
                                  const ExpressionScope& scope);
// An answer as a person or a script says it: "5", "red", "fox runs", "B" or the words of a choice, "runs red fox",
// ".31 .07 .62". Error: what an answer to this question is.
Result<Value> parse_answer(const LessonQuestion& question, const LessonTruth& truth, const std::string& text);

// An answer as people read it: "0.62", "runs", "runs, red, fox"; of a deed whether it is done.
std::string answer_in_words(const LessonQuestion& question, const Value& answer);

// The right one.
Value right_answer(const LessonQuestion& question, const LessonTruth& truth);

}  // namespace headlight::app
