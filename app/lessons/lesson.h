// A lesson as its file has it: steps of text, what each shows and hides, what it asks, and what it asserts.
//
// Plain data. What its actions do and what its expressions come to: session/lesson_play.h. The grammar, for who writes
// one: docs/lessons.md.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/expressions/expression.h"

namespace headlight::app {

// Where in the file something stands, both counted from 1; columns in characters.
struct LessonPlace {
  int line = 0;
  int column = 1;
};

// What is wrong with a lesson, or could be meant otherwise.
struct LessonMistake {
  LessonPlace at;
  std::string message;
};
// "why.lesson.md:12:5: …": one line.
std::string line_of(const std::string& file, const LessonMistake& mistake);

struct LessonExpression {
  Expression expression;
  LessonPlace at;
};
// An action in its text form.
struct LessonLine {
  std::string text;
  LessonPlace at;
};

// A run of text with one look, or what braces and signs put into it.
struct LessonPiece {
  enum class Kind {
    words,
    formula,     // $…$: LaTeX
    expression,  // {max weights[h3, q9]}: its number is printed
    claim,       // {0.95 = weights[h3, q9, k3]}: what is written is printed, and must be so
    link,        // {step scores: The scores}: words that do something
    picture,     // ![words](path)
    code
  } kind = Kind::words;
  std::string text;        // words, LaTeX, what is claimed, a path
  std::string about = {};  // of a picture: what is on it, in words
  bool emphasis = false, strong = false;
  std::optional<LessonExpression> expression = {};
  std::optional<LessonLine> action = {};  // of a link
  LessonPlace at = {};
};
using LessonText = std::vector<LessonPiece>;

// What is asked: for a cell, a token, one of several answers, a number, an order, a row of bars, a state to be reached.
enum class AskKind { cell, token, choice, number, order, drag, deed };
inline constexpr std::array ask_kinds{"cell", "token", "choice", "number", "order", "drag", "do"};

// What is said to an answer for which a condition holds.
struct LessonReply {
  LessonExpression when;
  LessonText says;
};
struct LessonOption {
  LessonText text;
  std::string plain;                        // the text as it was typed
  std::optional<LessonExpression> is = {};  // of a choice: what must hold for it to be right; of an order: its number
  LessonPlace at = {};
};
struct LessonQuestion {
  AskKind kind = AskKind::number;
  LessonPlace at;
  bool sound = true;  // could be read without a mistake
  LessonText question;
  std::vector<LessonOption> options;
  std::optional<LessonExpression> answer, within, until;
  std::vector<LessonReply> replies;
  std::optional<LessonText> otherwise, because;
  std::vector<LessonText> hints;
  std::vector<LessonLine> solution;  // of a deed: actions that reach it
  std::vector<LessonLine> attempts;  // and such that do not: each is a mistake that a reply is for
};

// What a step is made of, in the order of the file. What stands behind the question is for when it was answered.
struct LessonPart {
  enum class Kind {
    paragraph,
    item,
    heading,
    code,
    show,
    hide,
    lock,
    run,
    check,
    ask,
    note,
    experiment
  } kind = Kind::paragraph;
  LessonPlace at;
  LessonText text = {};                // of paragraph, item, heading, note
  std::string words = {};              // of code; of a run or an experiment: its name
  std::string json = {};               // of a run or an experiment: written out
  std::string file = {};               // or the name of a file
  std::vector<LessonLine> lines = {};  // of show, hide, lock, run
  std::vector<LessonExpression> checks = {};
};

struct LessonStep {
  std::string title;
  LessonPlace at;
  std::vector<LessonPart> parts;
  std::optional<LessonQuestion> ask;
  std::size_t asked_at = 0;  // of the parts: where the question stands; their number where nothing is asked
};

// Numbers that each copy on paper has its own of: those of an input, whole ones of a range.
struct LessonDraws {
  std::string input;
  int from = 0, to = 0;
  LessonPlace at;
};

struct Lesson {
  std::string title;
  int minutes = 0;    // that it takes; 0: not said
  std::string needs;  // another lesson, by its file's name without endings; empty: none
  LessonPlace needs_at = {};
  std::optional<LessonDraws> draws = {};
  std::optional<LessonPart> experiment;  // nothing: the built-in example
  std::vector<LessonStep> steps;         // never empty
  std::string name;                      // of the file, without .lesson.md
  std::filesystem::path folder;          // outside of which nothing is read
};

// Every text of a lesson, in the order of the file: see(text).
template <class See>
void for_each_text(const Lesson& lesson, const See& see) {
  for (const auto& step : lesson.steps) {
    for (const auto& part : step.parts) see(part.text);
    if (!step.ask) continue;
    const LessonQuestion& ask = *step.ask;
    see(ask.question);
    for (const auto& option : ask.options) see(option.text);
    for (const auto& hint : ask.hints) see(hint);
    for (const auto& reply : ask.replies) see(reply.says);
    if (ask.otherwise) see(*ask.otherwise);
    if (ask.because) see(*ask.because);
  }
}

struct ParsedLesson {
  Lesson lesson;
  std::vector<LessonMistake> mistakes;  // none: all of it could be read
  bool malformed = false;               // its steps could not be told apart; no other mistake is reported
};
ParsedLesson read_lesson_text(std::string_view text, const std::string& name, const std::filesystem::path& folder);
// Errors: the file cannot be read, is no text, or is larger than any lesson.
Result<ParsedLesson> read_lesson(const std::filesystem::path& path);

inline constexpr std::string_view lesson_ending = ".lesson.md";
// Whether a file of that name is one.
bool is_lesson_file(const std::filesystem::path& path);

}  // namespace headlight::app
