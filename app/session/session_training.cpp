// The training behind the window: begun when what is asked is another, and told what a person does.
#include "app/figures/training_figure.h"
#include "app/model/other_seeds.h"
#include "app/session/free_path.h"
#include "app/session/session.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr auto between_keeping = std::chrono::seconds(2);  // while it learns

// The weight whose map is explored: the pinned one, else the last map's first.
TrainCell explored_cell(const TrainingShown& shown) {
  if (shown.pinned) return *shown.pinned;
  return {.map = std::ssize(shown.film->example->maps) - 1};
}

// The curves of what was there stay behind those of what comes.
void keep_curves(TrainingShown& shown, const learn::TrainingPlan& next) {
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
  saved_curves_.reset();
  trainer_.begin(plan);
}

// What was done to heads is in the document, so that undo goes back over it.
void Session::note_heads(const learn::Film& film) {
  if (trained_->changes == film.plan->changes) return;
  learn::TrainingPlan plan = training_asked(model_);
  plan.changes = film.plan->changes;
  trained_ = model_.document.training = std::make_shared<const learn::TrainingPlan>(std::move(plan));
}

// Takes the steps once more, with other things done to heads on the way.
void Session::repeat_training() {
  const learn::Film& film = *model_.training.film;
  trained_ = std::make_shared<const learn::TrainingPlan>(training_asked(model_));
  learn::TrainingPlan plan = *film.plan;  // heads may have been given more steps to heal
  plan.changes = trained_->changes;
  trainer_.begin(std::move(plan), film.schedule);
  trainer_.play_to(film.step);
}

void Session::ask_training() {
  const learn::TrainingPlan& plan = training_asked(model_);
  if (!trained_) return begin_training();
  const std::shared_ptr<const learn::TrainingPlan> before = trained_;
  if (!can_continue(*before, plan)) return begin_training();
  if (before->changes != plan.changes) {
    const auto& film = model_.training.film;
    return film && can_continue(*film->plan, plan) ? repeat_training() : begin_training();
  }
  const bool more_steps = before->steps != plan.steps;
  const bool other_settings = learn::first_settings(*before) != learn::first_settings(plan);
  if (!other_settings && !more_steps) return;
  trained_ = std::make_shared<const learn::TrainingPlan>(plan);
  if (other_settings) trainer_.apply_settings(learn::first_settings(plan));
  if (more_steps) trainer_.set_steps(plan.steps);
}

void Session::carry_out_training(const Effects& effects) {
  const TrainingShown& shown = model_.training;
  if (effects.explore_training && shown.pinned) trainer_.explore(shown.at, shown.pinned->map);
  if (const auto compared = compared_steps(shown); effects.compare_training && compared)
    trainer_.explore(compared->second, explored_cell(shown).map, compared->first);
  if (effects.train_on) go_on_training(*effects.train_on);
  if (effects.training_figure && shown.film) draw_training(*effects.training_figure);
  if (effects.save_training) trainer_.save(*effects.save_training);
  if (const auto& asked = effects.train_head) {
    trainer_.change_head(asked->head, asked->to);
    if (asked->resume) trainer_.play();
  }
  if (effects.measure_train_heads || (effects.train_head && shown.heads)) trainer_.measure_heads();
  if (!effects.training && !effects.train_to && !effects.remake_step) return;
  if (!trainer_.has_begun()) begin_training();
  if (effects.train_to) trainer_.play_to(*effects.train_to);
  if (effects.remake_step) trainer_.look_at(*effects.remake_step);
  if (effects.training == TrainingCommand::play) trainer_.play();
  if (effects.training == TrainingCommand::play_until_learned) trainer_.play(true);
  if (effects.training == TrainingCommand::pause) trainer_.pause();
  if (effects.training == TrainingCommand::step) trainer_.take_step();
  if (effects.training == TrainingCommand::again || effects.training == TrainingCommand::play_again) begin_training();
  if (effects.training == TrainingCommand::play_again) trainer_.play();
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

void Session::note_saved(const SavedTraining& saved) {
  if (!saved.error.empty()) return note(Notice::Level::error, saved.error);
  const std::string folder = one_line(utf8(saved.folder));
  note(Notice::Level::note, fmt::format("{} holds the network after {} steps. headlight train --from {} goes on from "
                                        "there.",
                                        folder, saved.step, folder));
}

// Takes what there is of it.
void Session::refresh_training() {
  TrainingShown& shown = model_.training;
  if (model_.screen == Screen::train) ask_training();
  trainer_.set_pace(shown.pace);
  trainer_.want_slopes(wants_slopes(shown));
  if (auto news = trainer_.poll()) {
    shown.error = in_words_of_options(std::move(news->error), *training_asked(model_).task);
    if (news->film) note_heads(*news->film);
    if (news->film) receive_film(shown, std::move(news->film));
    compare_with_folder();
    if (news->heads) shown.heads = std::move(news->heads);
    if (news->explored) show_explored(*news->explored);
    if (news->saved) note_saved(*news->saved);
    if (news->asked && news->asked->step == shown.at && !shown.film->frame_at(shown.at)) shown.frame = news->asked;
  }
  shown.playing = trainer_.playing();
  ask_for_slopes();
  keep_training();
}

// What has been learned, if anything has.
std::optional<KeptTraining> Session::kept_training() const {
  const auto& film = model_.training.film;
  if (!film || film->step == 0) return std::nullopt;
  return KeptTraining{*film->plan, film->schedule, film->step, training_asked(model_).steps};
}

// Takes the steps once more that another window had taken.
void Session::go_on_training(const KeptTraining& kept) {
  learn::TrainingPlan asked = kept.plan;
  asked.steps = kept.steps_asked;
  const learn::StepSettings last = learn::settings_at(kept.schedule, kept.step, learn::first_settings(kept.plan));
  asked.options.values.set(rate_option, last.rate);
  asked.options.values.set(batch_option, last.batch);
  trained_ = std::make_shared<const learn::TrainingPlan>(std::move(asked));
  model_.document.training = trained_;
  model_.touch();
  model_.training = {};
  model_.screen = Screen::train;
  trainer_.begin(kept.plan, kept.schedule);
  trainer_.play_to(kept.step);
}

// From a folder: the same steps once more, so that all of them can be looked at.
void Session::go_on_training(const fs::path& folder) {
  reading_.run("training", [this, folder]() -> Background::Taken {
    auto opened = learn::open_training(folder);
    return [this, folder, opened = std::make_shared<Result<learn::OpenedTraining>>(std::move(opened))] {
      if (!*opened) return note(Notice::Level::error, opened->error().message);
      const learn::OpenedTraining& training = **opened;
      const Index steps = training.snapshot.step;
      KeptTraining kept{training.plan, training.curves.schedule, steps, std::max(steps, training.plan.steps)};
      kept.plan.steps = kept.steps_asked;  // heads may have been given more to heal
      push(model_, {"training", "", model_.document}, false);
      go_on_training(kept);
      saved_curves_ = training.curves;
      note(Notice::Level::note, fmt::format("The {} steps of {} are taken once more, and can all be looked at.",
                                            kept.step, one_line(utf8(folder))));
    };
  });
}

// Whether the steps of a folder came to what they were.
void Session::compare_with_folder() {
  const auto& film = model_.training.film;
  if (!saved_curves_ || !film || film->newest->step != film->step) return;
  if (film->step < std::ssize(saved_curves_->losses)) return;
  const std::string words = learn::loss_mismatch(*saved_curves_, film->step, film->newest->loss);
  saved_curves_.reset();
  if (!words.empty()) note(Notice::Level::warning, words);
}

// Of the pinned weight's head, else of the last map's first.
void Session::draw_training(const fs::path& file) {
  const TrainCell cell = explored_cell(model_.training);
  const std::string name = model_.training.film->plan->task->info().id + "-training";
  reading_.run("figure of a training",
               [this, file, name, cell, folder = folder_beside(model_), film = model_.training.film,
                fonts = font_files_in(model_.fonts)]() -> Background::Taken {
                 const fs::path path = file.empty() ? free_path(folder, name, ".pdf") : file;
                 const Status written = [&]() -> Status {
                   HL_TRY(const FigureFormat format, training_figure_format(path));
                   HL_TRY(const std::string bytes, training_figure(*film, {cell.map, cell.head}, fonts, format));
                   return write_file(path, bytes);
                 }();
                 return [this, path, written] {
                   if (!written) return note(Notice::Level::error, written.error().message);
                   note(Notice::Level::note, fmt::format("{} has the maps and the curves", one_line(utf8(path))));
                 };
               });
}

// While it learns, now and then; and once it rests.
void Session::keep_training() {
  const Index step = model_.training.film ? model_.training.film->step : 0;
  const auto now = std::chrono::steady_clock::now();
  if (step == training_kept_ || (model_.training.playing && now - training_kept_at_ < between_keeping)) return;
  training_kept_ = step;
  training_kept_at_ = now;
  save_recovery();
}

// Of the step that is looked at, once.
void Session::ask_for_slopes() {
  const TrainingShown& shown = model_.training;
  if (!wants_slopes(shown) || !shown.film) return;
  const auto kept = shown.film->frame_at(shown.at);
  if (!kept || kept->slopes || slopes_frame_ == kept) return;
  slopes_frame_ = kept;
  trainer_.look_at(shown.at);
}

// Trains the other seeds while the training that is shown rests, and lets go of what was of other options.
void Session::refresh_seeds() {
  OtherSeeds& seeds = model_.training.seeds;
  if (seeds.of && !same_plan(*seeds.of, training_asked(model_))) seeds = {};
  if (!seeds.running) return other_seeds_.reset();
  if (!other_seeds_) {
    other_seeds_ = std::make_shared<Trainer>(surroundings_.wake, surroundings_.served_by);
    other_seeds_->begin(next_seed(seeds));
  }
  if (const auto news = other_seeds_->poll()) {
    if (!news->error.empty()) note(Notice::Level::error, news->error + ".");
    if (!news->error.empty()) seeds.running = false;
    if (news->film) receive_seed(seeds, *news->film);
    if (has_all(seeds)) seeds.running = false;
    if (!seeds.running) return other_seeds_.reset();
    if (newest_is_done(seeds)) other_seeds_->begin(next_seed(seeds));
  }
  const bool rests = !trainer_.playing();
  if (rests && !other_seeds_->playing()) other_seeds_->play_to(seeds.of->steps);
  if (!rests && other_seeds_->playing()) other_seeds_->pause();
}

}  // namespace headlight::app
