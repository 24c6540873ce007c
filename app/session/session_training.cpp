// The training behind the window: begun when what is asked is another, and told what a person does.
#include "app/session/session.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

double rate_of(const learn::TrainingPlan& plan) {
  return plan.options.values.real(rate_option);
}

// The curves of what was there stay behind those of what comes.
void keep_curves(TrainingShown& shown, const learn::TrainingPlan& next) {
// The weight whose map is explored: the pinned one, else the last map's first.
TrainCell explored_cell(const TrainingShown& shown) {
  if (shown.pinned) return *shown.pinned;
  return {.map = std::ssize(shown.film->example->maps) - 1};
}

  if (!next.task->check(next.options)) return;  // nothing comes
  const std::string same = words_before(next, next);
  if (shown.film && shown.film->step > 0 && words_before(*shown.film->plan, next) != same) shown.before = shown.film;
  if (!shown.before) return;
  shown.before_words = words_before(*shown.before->plan, next);
  if (shown.before_words.empty() || shown.before_words == same) shown.before = nullptr;  // it is no other
}

}  // namespace

void Session::begin_training() {
  const learn::TrainingPlan& plan = training_asked(model_);
  keep_curves(model_.training, plan);
  trained_ = std::make_shared<const learn::TrainingPlan>(plan);
  trainer_.begin(plan);
}

void Session::ask_training() {
  const learn::TrainingPlan& plan = training_asked(model_);
  if (!trained_ || !same_but_for_rate(*trained_, plan)) return begin_training();
  if (rate_of(*trained_) == rate_of(plan)) return;
  trained_ = std::make_shared<const learn::TrainingPlan>(plan);
  trainer_.set_rate(rate_of(plan));
}

void Session::carry_out_training(const Effects& effects) {
  if (effects.explore_training && model_.training.pinned)
    trainer_.explore(model_.training.at, model_.training.pinned->map);
  if (!effects.training && !effects.train_to && !effects.remake_step) return;
  if (!trainer_.has_begun()) begin_training();
  if (effects.train_to) trainer_.play_to(*effects.train_to);
  if (effects.remake_step) trainer_.look_at(*effects.remake_step);
  if (effects.training == TrainingDeed::play) trainer_.play();
  if (effects.training == TrainingDeed::play_until_learned) trainer_.play(true);
  if (effects.training == TrainingDeed::pause) trainer_.pause();
  if (effects.training == TrainingDeed::step) trainer_.take_step();
  if (effects.training == TrainingDeed::again) begin_training();
}

// Shows where the pinned weight comes from, in place of what was explored before, or beside how it came at another
// step.
void Session::show_explored(const Explored& explored) {
  const TrainingShown& shown = model_.training;
  if (!shown.film) return;
  const TrainCell cell = explored_cell(shown);
  if (cell.map != explored.map) return;  // another was pinned meanwhile
  const learn::Task& task = *shown.film->plan->task;
  const std::string& title = shown.film->example->maps[static_cast<std::size_t>(explored.map)].title;
  const auto called = [&](Index step) { return fmt::format("{} · {} · step {}", task.info().title, title, step); };
  const auto part_of = [&](Experiment part, Index step) {
    part.name = called(step);
    part.view.head = cell.head;
    if (!shown.pinned) return part;
    part.view.query = cell.query;
    part.view.key = cell.key;
    return part;
  };
  std::shared_ptr<const Experiment> before;
  if (explored.step_before)
    before = std::make_shared<const Experiment>(part_of(explored.before, *explored.step_before));
  show_trained(model_, part_of(explored.experiment, explored.step), called(explored.step), before);
  refresh_held_run(model_);
  model_.screen = before ? Screen::compare : Screen::explore;
  rerun();
  save_recovery();
}

// Takes what there is of it.
void Session::look_at_training() {
  TrainingShown& shown = model_.training;
  if (model_.screen == Screen::train) ask_training();
  trainer_.set_pace(shown.pace);
  if (auto news = trainer_.poll()) {
    shown.error = in_words_of_options(std::move(news->error), *training_asked(model_).task);
    if (news->film) receive_film(shown, std::move(news->film));
    if (news->explored) show_explored(*news->explored);
    if (news->asked && news->asked->step == shown.at && !shown.film->frame_at(shown.at)) shown.frame = news->asked;
  }
  shown.playing = trainer_.playing();
}

}  // namespace headlight::app
  trainer_.want_slopes(wants_slopes(shown));
