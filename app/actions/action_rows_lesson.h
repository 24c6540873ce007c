// Rows of the table of actions: a lesson. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"
#include "app/model/lesson_scene.h"

namespace headlight::app::rows {

inline constexpr Place in_lesson{Section::learn, Screen::lessons};

inline constexpr Need a_lesson{[](const Model& model) { return model.learner.played != nullptr; }, "No lesson is open"};
inline constexpr Need a_question{[](const Model& model) { return model.learner.played && awaits_answer(model); },
                                 "Nothing is asked now"};
inline constexpr Need no_mistakes{[](const Model& model) { return model.learner.played->mistakes.empty(); },
                                  "What is wrong in the lesson comes first"};
inline constexpr Need an_answer{[](const Model& model) { return has_answers(model.learner); },
                                "Nothing is answered yet"};
inline constexpr Need another_hint{
    [](const Model& model) { return model.learner.hints < lesson_step(model).ask->hints.size(); },
    "There is no other hint"};

inline std::string why_no_lesson_answer(const AnswerLesson& a, const Model& model) {
  const auto& truth = played_step(model).truth;
  if (!truth) return "This question has a mistake";
  const auto value = parse_answer(*lesson_step(model).ask, *truth, a.text);
  return value ? "" : value.error().message;
}
inline std::string why_no_lesson_move(const MoveInLesson& a, const Model& model) {
  return a.value < 0 && model.learner.step == 0 ? "It is the first step" : "";
}
inline std::string why_no_lesson_step(const GoInLesson& a, const Model& model) {
  const auto steps = static_cast<Index>(model.learner.played->steps.size());
  return a.value >= 0 && a.value < steps ? "" : fmt::format("There are steps 0 to {}", steps - 1);
}

// Those that come with the program, by their titles.
inline std::vector<Offer> offer_lessons(const Model& model) {
  std::vector<Offer> offers;
  if (!model.learner.listed) return offers;
  for (const auto* list : {&model.learner.listed->shipped, &model.learner.listed->own})
    for (const ListedLesson& lesson : *list)
      offers.push_back({.label = "Lesson: " + lesson.title,
                        .action = OpenLesson{lesson.path},
                        .why_not = lesson.mistake,
                        .finds = "tutorial course teach"});
  return offers;
}

inline auto lesson_rows() {
  const auto letter = [](const char* id, const char* label, const char* chord, const char* digit, std::string answer) {
    return command(id, label, {chord, digit}, Action(AnswerLesson{std::move(answer)}));
  };
  return std::tuple{
      Row<OpenLesson>{.basics = {{Section::learn}}, .offers = offer_lessons},
      one_command<NewLesson>({{Section::learn}}, "Write a lesson of your own"),
      one_command<PrintLesson>({in_lesson, {a_lesson, no_mistakes}}, "Print this lesson", {"Ctrl P"}),
      one_command<SaveAnswers>({in_lesson, {a_lesson, an_answer}}, "Save what was answered in this lesson"),
      Row<MoveInLesson>{
          .basics = {in_lesson, {a_lesson}},
          .why_not = why_no_lesson_move,
          .commands = {command("lesson-next", "Next step of the lesson", {"Space", "→", "PgDn"}, MoveInLesson{1}),
                       command("lesson-back", "Previous step of the lesson", {"←", "PgUp"}, MoveInLesson{-1})}},
      Row<GoInLesson>{.basics = {in_lesson, {a_lesson}}, .why_not = why_no_lesson_step},
      Row<AnswerLesson>{.basics = {in_lesson, {a_lesson, a_question}},
                        .why_not = why_no_lesson_answer,
                        .commands = {letter("lesson-a", "Answer A of the lesson", "A", "1", "A"),
                                     letter("lesson-b", "Answer B of the lesson", "B", "2", "B"),
                                     letter("lesson-c", "Answer C of the lesson", "C", "3", "C"),
                                     letter("lesson-d", "Answer D of the lesson", "D", "4", "D")}},
      one_command<HintInLesson>({in_lesson, {a_lesson, a_question, another_hint}}, "A hint of the lesson", {"H"}),
      one_command<SolveInLesson>({in_lesson, {a_lesson, a_question}}, "Show the answer of the lesson"),
      one_command<AskAgainInLesson>({in_lesson, {a_lesson}}, "This step of the lesson again", {"R"}),
      one_command<LeaveLesson>({in_lesson, {a_lesson}}, "Leave the lesson", {"Esc"},
                               {.key_if = [](const Model& model) { return model.term.empty(); }}),
      one_command<ExploreLesson>({in_lesson, {a_lesson}}, "Explore from here, out of the lesson")};
}

}  // namespace headlight::app::rows
