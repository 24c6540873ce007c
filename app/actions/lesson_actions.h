// What can be asked for in a lesson. Part of action.h, for which these stand here by subject.
#pragma once

#include <string>

#include "app/actions/action_form.h"

namespace headlight::app {

using OpenLesson = Set<"lesson", &Effects::lesson>;  // a file
using MoveInLesson = OneValue<"lesson-move", int>;   // steps on, or back
using GoInLesson = OneValue<"lesson-step", Index>;   // from 0
// "5", "red", "fox runs", "B": as the question wants it.
struct AnswerLesson {
  std::string text;
  static constexpr auto form(auto as) { return as("lesson-answer", Exact{&AnswerLesson::text}); }
};
struct NewLesson : Plain<"lesson-new"> {};             // one to write over, beside the experiment
struct SaveAnswers : Plain<"lesson-save-answers"> {};  // what was answered, as CSV beside the experiment
struct PrintLesson : Plain<"lesson-print"> {};         // with its answers, as PDF beside the experiment
struct HintInLesson : Plain<"lesson-hint"> {};         // one more
struct SolveInLesson : Plain<"lesson-solution"> {};    // the answer without having given one
struct AskAgainInLesson : Plain<"lesson-again"> {};    // the step from its start
struct LeaveLesson : Plain<"lesson-leave"> {};         // what was open before is shown again
struct ExploreLesson : Plain<"lesson-explore"> {};     // what it shows now, with everything

}  // namespace headlight::app
