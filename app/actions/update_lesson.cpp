// A lesson: its steps, its answers, and the way back to what was open before.
#include <algorithm>
#include <utility>

#include "app/actions/action_table.h"
#include "app/actions/update.h"
#include "app/actions/updating.h"
#include "app/model/document.h"
#include "app/model/lesson_scene.h"

namespace headlight::app {

namespace {

// Shows what a scene has, in place of whatever was done before.
void show_scene(Model& model, const LessonScene& scene) {
  model.document = scene.document;
  Outcome outcome = scene.outcome;
  // Its own: what is kept of one scene is not shown in another.
  outcome.ticket = model.asked = std::max(model.asked, model.shown.ticket) + 1;
  model.shown = std::move(outcome);
  model.history = {};
  model.error.clear();
  model.error_about = {};
  model.too_large.reset();
  model.hover.reset();
  model.playing = false;
}

void enter_step(Model& model, std::size_t step) {
  Learner& learner = model.learner;
  learner.step = step;
  learner.hints = 0;
  learner.shows_solution = false;
  learner.reply = nullptr;
  model.term.clear();
  show_scene(model, lesson_scene(model));
  LessonProgress& progress = learner.progress[learner.played->lesson->name];
  progress.step = step;
  progress.of = learner.played->steps.size();
}

// What was answered, with what is said to it.
void answer(Model& model, Value value, bool given_up) {
  Learner& learner = model.learner;
  const PlayedStep& step = played_step(model);
  const LessonQuestion& question = *lesson_step(model).ask;
  ExpressionScope scope = make_scope(step.asked.shown(), step.asked.runs);
  if (question.kind == AskKind::deed) scope = make_scope({model.shown.experiment, model.shown.trace}, step.asked.runs);
  std::vector<LessonMistake> ignored;  // check says them
  auto made = std::make_shared<LessonAnswered>();
  const LessonVerdict verdict = judge(question, *step.truth, value, scope, ignored);
  made->right = verdict.right && !given_up;
  made->given_up = given_up;
  scope.values["answer"] = value;
  if (step.truth->now) scope.values["now"] = *step.truth->now;
  if (verdict.says && !given_up) made->reply = render_text(*verdict.says, scope, ignored);
  if (question.kind == AskKind::deed) {
    const auto& parts = lesson_step(model).parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      made->texts.push_back(render_text(parts[i].text, scope, ignored));
      for (std::size_t j = 0; j < step.texts[i].size(); ++j) made->texts[i][j].action = step.texts[i][j].action;
    }
    if (question.because) made->because = render_text(*question.because, scope, ignored);
  }
  made->value = std::move(value);
  learner.answers[learner.step] = std::move(made);
}

}  // namespace

void enter_lesson(Model& model, std::shared_ptr<const PlayedLesson> played, const std::filesystem::path& path) {
  Learner& learner = model.learner;
  if (!learner.played) {
    HistoryEntry before{"", "", model.document, static_cast<const DocumentFile&>(model)};
    learner.before = std::make_shared<const HistoryEntry>(std::move(before));
    learner.history_before = std::make_shared<const History>(std::move(model.history));
  }
  const bool again = learner.played && learner.path == path;  // it was saved
  const auto done = learner.progress.find(played->lesson->name);
  std::size_t step = learner.step;
  if (!again) step = done == learner.progress.end() ? 0 : done->second.step;
  if (step + 1 >= played->steps.size() && !again) step = 0;
  learner.answers = again ? learner.answers : decltype(learner.answers)();
  learner.answers.resize(played->steps.size());
  learner.played = std::move(played);
  learner.path = path;
  learner.problem.clear();
  model.screen = Screen::lessons;
  model.dialog = Dialog::none;
  static_cast<DocumentFile&>(model) = {};
  model.name = learner.played->lesson->title;
  enter_step(model, std::min(step, learner.played->steps.size() - 1));
}

bool is_locked(const LessonScene& scene, const Action& action) {
  const std::string text = to_text(action);
  return std::ranges::any_of(scene.locked, [&](const std::string& beginning) { return text.starts_with(beginning); });
}

void judge_action(Model& model) {
  Learner& learner = model.learner;
  if (!learner.played || !model.shown.trace) return;
  const PlayedStep& step = played_step(model);
  const auto& asks = lesson_step(model).ask;
  if (!asks || asks->kind != AskKind::deed || !asks->until || !step.truth) return;
  learner.reply = nullptr;
  std::vector<LessonMistake> ignored;
  const LessonRun shown{model.shown.experiment, model.shown.trace};
  ExpressionScope scope = make_scope(shown, step.asked.runs);
  const auto value = value_of(*asks->until, scope, ignored);
  const bool* reached = value ? std::get_if<bool>(&*value) : nullptr;
  // Once it is done its words go along with what is changed further, as long as it stays done.
  if (reached && *reached)
    return answer(model, true, answered(model) ? answered(model)->given_up : learner.shows_solution);
  if (!awaits_answer(model) || shown.experiment == step.asked.outcome.experiment) return;
  const LessonVerdict verdict = judge(*asks, *step.truth, false, scope, ignored);
  scope.values["answer"] = false;
  if (verdict.says) learner.reply = std::make_shared<const PrintedText>(render_text(*verdict.says, scope, ignored));
}

void Updating::operator()(const GoInLesson& a) {
  if (!model.learner.played) return;
  const auto last = static_cast<Index>(model.learner.played->steps.size()) - 1;
  enter_step(model, static_cast<std::size_t>(std::clamp<Index>(a.value, 0, last)));
  effects.rerun = true;
}

void Updating::operator()(const MoveInLesson& a) {
  if (!model.learner.played) return;
  const auto steps = static_cast<Index>(model.learner.played->steps.size());
  const Index to = static_cast<Index>(model.learner.step) + a.value;
  if (to >= steps) {
    model.learner.progress[model.learner.played->lesson->name].done = true;
    (*this)(LeaveLesson{});
    model.screen = Screen::lessons;
    return;
  }
  (*this)(GoInLesson{to});
}

void Updating::operator()(const AnswerLesson& a) {
  if (!model.learner.played || !awaits_answer(model) || !played_step(model).truth) return;
  const LessonQuestion& question = *lesson_step(model).ask;
  auto value = parse_answer(question, *played_step(model).truth, a.text);
  if (!value) return note(value.error().message + ".");
  forget_notes();
  answer(model, *std::move(value), false);
  show_scene(model, lesson_scene(model));
  effects.rerun = true;
}

void Updating::operator()(const SaveAnswers&) {
  effects.save_answers = has_answers(model.learner);
  if (!effects.save_answers) note("Nothing is answered yet.");
}

void Updating::operator()(const HintInLesson&) {
  if (!model.learner.played || !awaits_answer(model)) return;
  const auto& hints = lesson_step(model).ask->hints;
  model.learner.hints = std::min(model.learner.hints + 1, hints.size());
}

void Updating::operator()(const SolveInLesson&) {
  if (!model.learner.played || !awaits_answer(model) || !played_step(model).truth) return;
  const LessonQuestion& question = *lesson_step(model).ask;
  if (question.kind == AskKind::deed) {  // its solution is carried out; what it leads to answers
    model.learner.shows_solution = true;
    for (const auto& line : played_step(model).solution)
      if (const auto action = parse_action(line)) action->visit(*this);
    return;
  }
  answer(model, right_answer(question, *played_step(model).truth), true);
  show_scene(model, lesson_scene(model));
  effects.rerun = true;
}

void Updating::operator()(const AskAgainInLesson&) {
  if (!model.learner.played) return;
  model.learner.answers[model.learner.step] = nullptr;
  enter_step(model, model.learner.step);
  effects.rerun = true;
}

void Updating::operator()(const LeaveLesson&) {
  Learner& learner = model.learner;
  if (!learner.played) return;
  const auto before = std::exchange(learner.before, nullptr);
  learner.played = nullptr;
  learner.large = false;
  learner.answers.clear();
  model.document = before->before;
  static_cast<DocumentFile&>(model) = *before->origin;
  model.history = *std::exchange(learner.history_before, nullptr);
  model.history.open = false;
  model.screen = Screen::lessons;
  effects.rerun = true;
}

void Updating::operator()(const ExploreLesson&) {
  Learner& learner = model.learner;
  if (!learner.played) return;
  const auto before = std::exchange(learner.before, nullptr);
  model.name = learner.played->lesson->title;
  learner.played = nullptr;
  learner.large = false;
  learner.answers.clear();
  model.history = *std::exchange(learner.history_before, nullptr);
  push(model, *before, false);
  model.history.undo.back().name = "the lesson";
  model.saved = model.text();
  model.screen = Screen::explore;
  effects.rerun = true;
}

}  // namespace headlight::app
