// The text of a lesson with its numbers: what a run makes of it.
#pragma once

#include <string>
#include <vector>

#include "app/lessons/lesson.h"

namespace headlight::app {

// A piece as it is read: of an expression its number, of a claim what was claimed.
struct PrintedPiece {
  LessonPiece::Kind kind = LessonPiece::Kind::words;
  std::string text;
  bool emphasis = false, strong = false;
  std::string action = {};  // of a link, in its text form
  std::string about = {};   // of a picture: what is on it, in words; of a formula: in plain signs
};
using PrintedText = std::vector<PrintedPiece>;

// Whether claims are checked against the run, or replaced by its numbers, where it is not the lesson's own.
enum class Claims { hold, show_computed };
// Mistakes are added: expressions that come to nothing, claims that do not hold. Their text is then "?".
PrintedText render_text(const LessonText& text, const ExpressionScope& scope, std::vector<LessonMistake>& mistakes,
                        Claims claims = Claims::hold);
// "4", "0.95", "cat", "(1.85, 0.77)": as the window prints numbers; whole ones without a point. Error: too many.
Result<std::string> printed_value(const Value& value);
// All of it on one line; of a picture what is on it, of a formula its signs.
std::string plain_text(const PrintedText& text);

// The value of an expression; nothing and a mistake where it has none.
std::optional<Value> value_of(const LessonExpression& expression, const ExpressionScope& scope,
                              std::vector<LessonMistake>& mistakes);
LessonMistake mistake_in(const LessonExpression& expression, const ExpressionError& error);

}  // namespace headlight::app
