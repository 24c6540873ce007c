// A network that learns: what it is to learn, and what of it is looked at.
#include <algorithm>
#include <cmath>

#include "app/actions/action_table.h"
#include "app/actions/updating.h"
#include "app/model/counter_tests.h"
#include "app/model/other_seeds.h"

namespace headlight::app {

namespace {

constexpr Index most_steps = 100000;
constexpr double slowest = 0.1, fastest = 1000;  // steps a second

}  // namespace

// Of what is to be learned. The session sees that it is another.
void Updating::ask_training(const Action& action, const std::string& key, bool continues, learn::TrainingPlan plan) {
  remember(action, key, continues);
  if (!can_continue(training_asked(model), plan)) plan.changes.clear();
  model.document.training = std::make_shared<const learn::TrainingPlan>(std::move(plan));
}

void Updating::operator()(const ChooseTask& a) {
  const learn::Task* task = learn::find_task(a.value);
  if (!task || task == training_asked(model).task) return;
  ask_training(a, "train.task", false, default_plan(*task));
  model.training.pinned.reset();
}

void Updating::operator()(const SetTraining& a) {
  learn::TrainingPlan plan = training_asked(model);
  const ParamSpec* spec = find_param(plan.task->options(), a.id);
  if (!spec) return;
  auto value = check_param(*spec, a.value);
  if (!value || plan.options.values.get(a.id) == *value) return;
  plan.options.values.set(a.id, std::move(*value));
  ask_training(a, "train." + a.id, a.continues, std::move(plan));
}

void Updating::operator()(const SetTrainText& a) {
  learn::TrainingPlan plan = training_asked(model);
  if (!plan.task->reads_text()) {
    plan = default_plan(**std::ranges::find_if(learn::all_tasks(), &learn::Task::reads_text));
    model.training.pinned.reset();
  } else if (text_to_learn(plan) == a.text) {
    return;
  }
  plan.options.texts = {{"text", a.text}};
  ask_training(a, "train.text", a.continues, std::move(plan));
}

void Updating::operator()(const SetTrainSeed& a) {
  learn::TrainingPlan plan = training_asked(model);
  if (plan.seed == a.value) return;
  plan.seed = a.value;
  ask_training(a, "train.seed", false, std::move(plan));
}

void Updating::operator()(const SetTrainSteps& a) {
  learn::TrainingPlan plan = training_asked(model);
  const Index steps = std::clamp<Index>(a.value, 1, most_steps);
  if (plan.steps == steps) return;
  plan.steps = steps;
  ask_training(a, "train.steps", false, std::move(plan));
}

void Updating::operator()(const TryCounterTest& a) {
  const learn::TrainingPlan& plan = training_asked(model);
  const learn::CounterTest* test = counter_test_named(*plan.task, a.value);
  if (!test || test == counter_test_in(plan)) return;
  ask_training(a, "train.counter", false, with_counter_test(plan, test));
  model.training.follows = true;
  effects.training = TrainingCommand::play_again;
}

void Updating::operator()(const LeaveCounterTest& a) {
  const learn::TrainingPlan& plan = training_asked(model);
  if (!counter_test_in(plan)) return;
  ask_training(a, "train.counter", false, with_counter_test(plan, nullptr));
  effects.training = TrainingCommand::again;
}

// The document has it once it is done (Session::note_heads).
void Updating::change_head(const Action& action, learn::TrainedHead head, learn::HeadChange::To to, bool resume) {
  if (!can_change_heads(model.training) || !model.training.film->heads.contains(head)) return;
  remember(action, "train.head");
  (*this)(FollowTraining{});
  effects.train_head = {head, to, resume};
}

void Updating::operator()(const PlayTraining& a) {
  if (!a.on) {
    effects.training = TrainingCommand::pause;
    return;
  }
  if (!model.training.film || !model.training.film->has_more_steps()) return;
  (*this)(FollowTraining{});
  effects.training = TrainingCommand::play;
}

void Updating::operator()(const TrainUntilLearned&) {
  if (!model.training.film || !model.training.film->has_more_steps()) return;
  (*this)(FollowTraining{});
  effects.training = TrainingCommand::play_until_learned;
}

void Updating::operator()(const TrainTo& a) {
  if (model.training.film && model.training.film->has_more_steps()) effects.train_to = std::max<Index>(a.value, 0);
}

void Updating::operator()(const MoveInTraining& a) {
  TrainingShown& shown = model.training;
  if (!shown.film) return;
  if (a.value > 0 && shown.at >= shown.film->step && shown.film->has_more_steps()) {
    shown.follows = true;
    effects.training = TrainingCommand::step;
    return;
  }
  (*this)(LookAtTrainStep{shown.at + a.value});
}

void Updating::operator()(const LookAtTrainStep& a) {
  TrainingShown& shown = model.training;
  shown.follows = shown.film && a.value >= shown.film->step;
  effects.remake_step = look_at_step(shown, a.value);
}

void Updating::operator()(const FollowTraining&) {
  if (!model.training.film) return;
  model.training.follows = true;
  look_at_step(model.training, model.training.film->newest->step);
}

void Updating::operator()(const TrainAgain& a) {
  if (learn::TrainingPlan plan = training_asked(model); !plan.changes.empty()) {
    plan.changes.clear();
    ask_training(a, "train.again", false, std::move(plan));
  }
  model.training.mark_a = model.training.mark_b = std::nullopt;
  effects.training = TrainingCommand::again;
}

void Updating::operator()(const SetPace& a) {
  if (a.value <= 0)
    model.training.pace = 0;
  else if (std::isfinite(a.value))
    model.training.pace = std::clamp(a.value, slowest, fastest);
}

// The session trains them.
void Updating::operator()(const TrainSeeds& a) {
  OtherSeeds& seeds = model.training.seeds;
  const learn::TrainingPlan& plan = training_asked(model);
  if (a.on && (!seeds.of || !same_plan(*seeds.of, plan)))
    seeds = {std::make_shared<const learn::TrainingPlan>(plan), {}, false};
  if (!a.on && !newest_is_done(seeds)) seeds.films.pop_back();
  seeds.running = a.on && !has_all(seeds);
}

void Updating::operator()(const PinTrainCell& a) {
  const TrainCell cell{a.map, a.head, a.query, a.key};
  const auto& film = model.training.film;
  if (film && weight_in(*film->newest, cell)) model.training.pinned = cell;
}

void Updating::operator()(const SwitchTrainHead& a) {
  change_head(a, {a.map, a.head}, a.on ? learn::HeadChange::To::on : learn::HeadChange::To::off, false);
}

void Updating::operator()(const PruneTraining& a) {
  if (const auto head = least_important(model.training)) change_head(a, *head, learn::HeadChange::To::off, true);
}

void Updating::operator()(const MarkTraining& a) {
  TrainingShown& shown = model.training;
  if (!shown.film) return;
  std::optional<Index>& mark = a.on ? shown.mark_a : shown.mark_b;
  mark = mark == shown.at ? std::nullopt : std::optional(shown.at);
}

void Updating::operator()(const SaveTraining& a) {
  model.dialog = a.value.empty() ? Dialog::save_training : Dialog::none;
  if (!a.value.empty()) effects.save_training = a.value;
}

void Updating::operator()(const TrainOn& a) {
  if (!a.value.empty()) effects.train_on = a.value;
}

}  // namespace headlight::app
