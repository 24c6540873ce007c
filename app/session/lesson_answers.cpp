#include "app/session/lesson_answers.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "app/page/notes.h"
#include "app/session/lesson_play.h"
#include "engine/base/words.h"
#include "engine/core/random.h"

namespace headlight::app {

namespace {

Value chosen(const LessonQuestion& question, const LessonTruth& truth, const ExpressionScope& scope, AnswerMode how,
             Random& random) {
  if (how == AnswerMode::right) return right_answer(question, truth);
  std::vector<Value> answers = answers_to_try(question, truth, scope);
  if (how == AnswerMode::wrong)
    std::erase_if(answers, [&](const Value& answer) {
      std::vector<LessonMistake> ignored;  // check says them
      return judge(question, truth, answer, scope, ignored).right;
    });
  if (answers.empty()) return right_answer(question, truth);
  const auto at = static_cast<std::size_t>(random.uniform() * static_cast<double>(answers.size()));
  return answers[std::min(at, answers.size() - 1)];
}

GivenAnswer answered(const LessonQuestion& question, const PlayedStep& step, AnswerMode how, Random& random) {
  GivenAnswer given;
  given.kind = ask_kinds[static_cast<std::size_t>(question.kind)];
  given.question = plain_text(step.question.question);
  ExpressionScope scope = make_scope(step.asked.shown(), step.asked.runs);
  std::vector<LessonMistake> ignored;
  Value answer = true;
  LessonScene there = step.asked;
  if (question.kind == AskKind::deed) {
    const bool any = how == AnswerMode::right || (how == AnswerMode::random && random.uniform() < 0.5);
    if (any) {
      if (auto reached = scene_after(step.asked, question.solution, ignored)) there = *std::move(reached);
    } else if (!question.attempts.empty()) {
      if (auto reached = scene_after(step.asked, {question.attempts.front()}, ignored)) there = *std::move(reached);
    }
    scope = make_scope(there.shown(), there.runs);
    const auto done = question.until ? value_of(*question.until, scope, ignored) : std::nullopt;
    answer = done && std::holds_alternative<bool>(*done) && std::get<bool>(*done);
  } else {
    answer = chosen(question, *step.truth, scope, how, random);
  }
  const auto verdict = judge(question, *step.truth, answer, scope, ignored);
  given.typed = typed_answer(question, *step.truth, answer);
  given.said = question.kind == AskKind::number ? with_minus_signs(given.typed) : answer_in_words(question, answer);
  given.right = verdict.right;
  given.truth = answer_in_words(question, right_answer(question, *step.truth));
  scope.values["answer"] = answer;
  if (step.truth->now) scope.values["now"] = *step.truth->now;
  if (verdict.says) given.reply = plain_text(render_text(*verdict.says, scope, ignored));
  return given;
}

}  // namespace

std::string typed_answer(const LessonQuestion& question, const LessonTruth& truth, const Value& answer) {
  switch (question.kind) {
    case AskKind::deed:
      return {};
    case AskKind::number:
      return fmt::format("{:.9g}", as_number(answer).value_or(0));
    case AskKind::drag:
      return fmt::format("{:.9g}", fmt::join(std::get<NumberArray>(answer).numbers, " "));
    case AskKind::choice:
      for (std::size_t i = 0; i < question.options.size(); ++i) {
        const std::string letter(1, static_cast<char>('A' + i));
        const auto said = parse_answer(question, truth, letter);
        if (said && printed_value(*said).value_or("") == printed_value(answer).value_or("…")) return letter;
      }
      return {};
    case AskKind::token:
    case AskKind::cell:
    case AskKind::order:
      break;
  }
  std::string labels, places;
  for (const auto& place : std::get<AxisPlaces>(answer)) {
    const std::string between = labels.empty() ? "" : " ";
    labels += fmt::format("{}\"{}\"", between, label_of_place(place));
    places += fmt::format("{}{}", between, place.positions.front());
  }
  const auto said = parse_answer(question, truth, labels);  // a pixel has no word
  return said && printed_value(*said).value_or("") == printed_value(answer).value_or("…") ? labels : places;
}

std::vector<GivenAnswer> answers_of(const Learner& learner) {
  std::vector<GivenAnswer> all;
  for (std::size_t i = 0; i < learner.answers.size(); ++i) {
    const LessonAnswered* answer = learner.answers[i].get();
    const auto& question = learner.played->lesson->steps[i].ask;
    const PlayedStep& step = learner.played->steps[i];
    if (!answer || !question || !step.truth) continue;
    GivenAnswer given;
    given.step = i;
    given.kind = ask_kinds[static_cast<std::size_t>(question->kind)];
    given.question = plain_text(step.question.question);
    given.said = answer->given_up ? "" : answer_in_words(*question, answer->value);
    given.truth = answer_in_words(*question, right_answer(*question, *step.truth));
    given.right = answer->right;
    given.reply = plain_text(answer->reply);
    all.push_back(std::move(given));
  }
  return all;
}

std::string answers_as_csv(const Lesson& lesson, const std::vector<GivenAnswer>& answers) {
  std::string table;
  for (const auto& given : answers)
    table += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(lesson.name), given.step,
                         csv_field(lesson.steps[given.step].title), given.kind, csv_field(given.said),
                         csv_field(given.truth), given.right ? 1 : 0, csv_field(given.reply));
  return table;
}

std::vector<GivenAnswer> answers_given(const PlayedLesson& played, AnswerMode how, std::uint64_t seed) {
  std::vector<GivenAnswer> all;
  Random random(seed, played.lesson->name);
  for (std::size_t i = 0; i < played.steps.size(); ++i) {
    const auto& question = played.lesson->steps[i].ask;
    if (!question || !played.steps[i].truth) continue;
    all.push_back(answered(*question, played.steps[i], how, random));
    all.back().step = i;
  }
  return all;
}

}  // namespace headlight::app
