#include "app/lessons/note_question.h"

#include "app/lessons/judging.h"
#include "app/lessons/question_file.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

struct NoteFence {
  std::size_t begin = 0, end = 0;  // bytes of the notes, with the lines of its signs
  std::size_t body = 0, body_end = 0;
  std::string_view info;  // behind the first signs
  int line = 1;           // of them
};

// Fences of three backticks whose first word is "ask"; one that is not closed ends with the notes.
std::vector<NoteFence> question_fences(std::string_view notes) {
  std::vector<NoteFence> fences;
  std::optional<NoteFence> open;
  int number = 1;
  for (std::size_t at = 0; at < notes.size(); ++number) {
    const std::size_t end = std::min(notes.find('\n', at), notes.size()), next = std::min(end + 1, notes.size());
    const std::string_view line = trimmed(notes.substr(at, end - at));
    if (line.starts_with("```")) {
      if (open) {
        open->body_end = at;
        open->end = next;
        if (open->info.starts_with("ask")) fences.push_back(*open);
        open.reset();
      } else {
        open = NoteFence{at, notes.size(), next, notes.size(), trimmed(line.substr(3)), number};
      }
    }
    at = next;
  }
  if (open && open->info.starts_with("ask")) fences.push_back(*open);
  return fences;
}

std::string_view body_of(const NoteFence& fence, std::string_view notes) {
  return notes.substr(fence.body, fence.body_end - fence.body);
}

// "cat" of "row: cat".
std::string_view row_argument(std::string_view line) {
  return trimmed(trimmed(line).substr(4));
}

// "fox", "\"cat\"#2", "3"
Result<Index> query_named(std::string_view words, const LessonRun& run) {
  const Step* map = run.trace ? run.trace->map() : nullptr;
  const Axis* queries = map ? map->axis(AxisRole::query) : nullptr;
  if (!queries) return fail("row: this run has no map of queries");
  return parse_position(*queries, words);
}

Result<NoteQuestion> note_question(std::string_view notes, const NoteFence& fence, const ExpressionScope& scope,
                                   const LessonRun& run) {
  const auto refused = [&](const LessonMistake& mistake) { return fail("{}", line_of("notes", mistake)); };
  if (fence.info != "ask choice")
    return refused({{fence.line, 1}, "a class answers with A to D: write “ask choice” and lines that begin with “-”"});
  std::vector<QuestionLine> lines;
  std::optional<QuestionLine> row_line;
  for (const QuestionLine& line : numbered_lines(body_of(fence, notes), fence.line + 1)) {
    if (trimmed(line.text).starts_with("row:"))
      row_line = line;
    else
      lines.push_back(line);
  }
  MarkdownReader reader;
  LessonQuestion read;
  read.kind = AskKind::choice;
  read.at = {fence.line, 1};
  read_question(lines, reader, read);
  constexpr std::size_t most = 4;  // letters
  if (reader.mistakes.empty() && read.options.empty())
    reader.mistake(read.at, "answers are missing: lines that begin with “-”");
  if (read.options.size() > most)
    reader.mistake(read.options[most].at, "a class answers with A to D: four answers at most");
  if (!reader.mistakes.empty()) return refused(reader.mistakes.front());
  std::vector<LessonMistake> mistakes;
  const auto truth = truth_of(read, scope, std::nullopt, mistakes);
  NoteQuestion question;
  question.asked = plain_text(render_text(read.question, scope, mistakes));
  for (const auto& option : read.options)
    question.options.push_back(plain_text(render_text(option.text, scope, mistakes)));
  if (read.because) question.because = plain_text(render_text(*read.because, scope, mistakes));
  if (!mistakes.empty()) return refused(mistakes.front());
  if (!truth) return refused({read.at, "no answer is right"});
  question.right = truth->option;
  if (row_line) {
    const auto row = query_named(row_argument(row_line->text), run);
    if (!row) return refused({{row_line->number, 1}, row.error().message});
    question.row = *row;
  }
  return question;
}

}  // namespace

std::vector<Result<NoteQuestion>> questions_in_notes(const std::string& notes, const LessonRun& run) {
  std::vector<Result<NoteQuestion>> questions;
  const auto fences = question_fences(notes);
  if (fences.empty()) return questions;
  const ExpressionScope scope = make_scope(run, {});
  for (const auto& fence : fences) questions.push_back(note_question(notes, fence, scope, run));
  return questions;
}

std::optional<Index> row_of_note_question(const std::string& notes, const LessonRun& run, std::size_t at) {
  const auto fences = question_fences(notes);
  if (at >= fences.size()) return std::nullopt;
  for (const std::string_view line : split_lines(body_of(fences[at], notes))) {
    if (!trimmed(line).starts_with("row:")) continue;
    const auto row = query_named(row_argument(line), run);
    return row ? std::optional(*row) : std::nullopt;
  }
  return std::nullopt;
}

std::size_t count_questions_in_notes(const std::string& notes) {
  return question_fences(notes).size();
}

std::string notes_without_questions(const std::string& notes) {
  std::string rest;
  std::size_t at = 0;
  for (const auto& fence : question_fences(notes)) {
    rest += notes.substr(at, fence.begin - at);
    at = fence.end;
  }
  return rest + notes.substr(std::min(at, notes.size()));
}

}  // namespace headlight::app
