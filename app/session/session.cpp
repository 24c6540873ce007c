#include "app/session/session.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "app/model/mechanism_report.h"
#include "app/reading/edits_offered.h"
#include "app/session/dump.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Keys of side runs: what follows is the value of a parameter, or the path of an experiment.
const std::string beside = "beside ", companion = "companion ", unarranged = "unarranged", without = "without ",
                  held_a = "held a", held_before = "held before";

std::string after(const std::string& beginning, const std::string& key) {
  return key.substr(beginning.size());
}

}  // namespace

Session::Session(Surroundings surroundings)
    : surroundings_(std::move(surroundings)),
      queue_(surroundings_.wake, 0, surroundings_.served_by),
      layers_(queue_, RunRank::main),
      without_(queue_, RunRank::side),
      looked_(queue_, RunRank::side),
      figuring_(queue_, RunRank::side),
      relevance_(queue_, RunRank::side),
      runner_(queue_),
      sides_(queue_),
      exporter_(surroundings_.wake, surroundings_.served_by),
      reading_(surroundings_.wake, on_failure(), surroundings_.served_by),
      keeping_(surroundings_.wake, on_failure(), surroundings_.served_by),
      saving_(surroundings_.wake, on_failure(), surroundings_.served_by),
      measuring_(surroundings_.wake, on_failure(), surroundings_.served_by),
      trainer_(surroundings_.wake, surroundings_.served_by) {
  model_.examples = surroundings_.examples;
  model_.fonts = surroundings_.fonts;
  model_.has_links = surroundings_.copy_link != nullptr;
}

Background::Failed Session::on_failure() {
  return [this](const std::string& name, const Error& error) { take_failure(name, error); };
}

Session::Session(ModelExperiment asked, std::filesystem::path path, Surroundings surroundings)
    : Session(std::move(surroundings)) {
  load_first(model_, std::move(asked), std::move(path));
  start_keeping();
  rerun();
}

Session::Session(Experiment experiment, std::filesystem::path path, Surroundings surroundings)
    : Session(std::move(surroundings)) {
  load_first(model_, std::move(experiment), std::move(path));
  if (model_.path.empty()) model_.name = name_of_dump(*model_.document.experiment);
  note_files_outside();
  start_keeping();
  rerun();
}

Session::~Session() {
  lesson_stop_.request_stop();
  measures_stop_.request_stop();
  layers_stop_.request_stop();
  if (model_.mechanism) std::stop_source(model_.mechanism->enough).request_stop();
  saving_.flush();
  saving_.poll();
  finish_keeping();
}

void Session::take_over(const Model& other) {
  model_ = other;
  model_.shown = {};
  model_.net = {};
  model_.beside = {};
  model_.head_report = {};
  model_.layers = {};
  model_.mechanism.reset();
  model_.unarranged = {};
  model_.equivariance.reset();
  model_.comparison.a.outcome = {};
  model_.comparison.before.outcome = {};
  model_.companions.clear();
  model_.exporting = {};
  model_.saving = 0;
  model_.hover.reset();
  model_.present.other = {};
  model_.present.other_from.clear();
  model_.present.changed = {};
  // What there is of a film is shown as it is; it goes on anew.
  trained_ = std::make_shared<const learn::TrainingPlan>(training_asked(model_));
  slide_asked_.clear();
  sides_.drop({});
  forget_companions();
  rerun();
}

void Session::rerun() {
  ablate_layers(false);  // of what is no longer shown
  if (model_.shows_network()) return run_layers();
  layers_.withdraw_all();
  model_.asked = runner_.submit(model_.document.experiment, model_.most_pairs);
  model_.busy = true;
  sides_.drop(unarranged);
  model_.comparing = false;
  model_.cancelled = false;
}

void Session::note(Notice::Level level, std::string text) {
  model_.notices.push_back({level, std::move(text)});
}

void Session::act(const Action& action) {
  const Settings settings = model_.settings;
  carry_out(update(model_, action));
  if (action.as<SetHover>() || action.as<Light>()) return;
  if (!(settings == model_.settings)) remember(settings);
  keep_progress();
  if (!quit_ && !model_.learner.played) save_recovery();
}

void Session::carry_out(const Effects& effects) {
  const auto recoverable = [&](std::size_t index) {
    return index < model_.recoverable.size() ? model_.recoverable[index].file : std::filesystem::path();
  };
  if (effects.fresh) leave({Departure::For::fresh, {}});
  if (effects.open) {
    const Status opened = within_memory([&]() -> Status {
      open(*effects.open, false, effects.member);
      return {};
    });
    if (!opened) note(Notice::Level::error, fmt::format("{}: {}", utf8(*effects.open), opened.error().message));
  }
  if (effects.lesson) open_lesson(*effects.lesson);
  if (effects.new_lesson) begin_lesson();
  if (effects.print_lesson) print_lesson();
  if (effects.save_answers) save_answers();
  if (effects.save) save(*effects.save, effects.save_inputs);
  if (effects.measure_inputs) measure_inputs();
  if (effects.thumbnails) read_thumbnails();
  if (effects.leave) leave(*effects.leave);
  if (effects.replace) replace(*effects.replace);
  if (effects.recover) recover(recoverable(*effects.recover));
  if (effects.discard_recovered) forget_recoverable(recoverable(*effects.discard_recovered));
  if (effects.browse) browse(*effects.browse);
  if (effects.peek) peek(*effects.peek);
  if (effects.slides) list_slides(*effects.slides);
  if (effects.keep_names) keep_names(*effects.keep_names);
  if (effects.ablate) model_.shows_network() ? ablate_layers(*effects.ablate) : ablate(*effects.ablate);
  if (effects.cancel_export) exporter_.cancel();
  if (effects.clipboard && surroundings_.set_clipboard) surroundings_.set_clipboard(*effects.clipboard);
  if (effects.copy_link && surroundings_.copy_link) {
    const Status copied = surroundings_.copy_link(model_);
    note(copied ? Notice::Level::note : Notice::Level::error,
         copied ? "The link is copied: whoever opens it sees this." : copied.error().message);
  }
  if (effects.paste && surroundings_.clipboard) paste(surroundings_.clipboard());
  if (effects.cancel) stop_opening_lesson();
  if (effects.cancel && model_.busy) {
    model_.cancelled |= runner_.busy() || layers_.busy();
    runner_.cancel();
    layers_.withdraw_all();
    model_.net.figure_wanted = false;
  }
  if (effects.beside) run_all_choices(*effects.beside);
  if (effects.rerun) rerun();
  carry_out_training(effects);
  if (effects.quit) leave({Departure::For::quit, {}});
}

void Session::paste(const std::string& text) {
  if (!model_.trace() || !model_.step()) return;
  const auto edit = edit_of_block(*model_.step(), focus_of(model_.document.look), text);
  if (edit) return act(AddEdit{*edit});
  note(Notice::Level::warning, fmt::format("Nothing was pasted: {}.", edit.error().message));
}

bool Session::work() {
  if (surroundings_.served_by != ServedBy::caller || std::exchange(works_, true)) return false;
  constexpr auto share = std::chrono::milliseconds(8);  // of a frame's time
  const auto until = std::chrono::steady_clock::now() + share;
  bool did = false;
  for (Background* background : {&reading_, &keeping_, &saving_}) did |= background->pump(until);
  did |= queue_.pump(until);
  did |= measuring_.pump(until);
  did |= trainer_.pump(until);
  if (const auto seeds = other_seeds_) did |= seeds->pump(until);  // it may be let go meanwhile
  did |= exporter_.pump();
  works_ = false;
  return did;
}

void Session::poll(double now) {
  reading_.poll();
  keeping_.poll();
  saving_.poll();
  measuring_.poll();
  if (auto outcome = runner_.poll()) take(std::move(*outcome));
  if (auto outcome = layers_.poll()) take_layers(*outcome);
  while (auto outcome = without_.poll()) accept_run_without_layer_head(*outcome);
  while (auto outcome = looked_.poll()) take_layer_map(*outcome);
  while (auto outcome = figuring_.poll()) take_figure_maps(*outcome);
  while (auto outcome = relevance_.poll()) take_relevance(*outcome);
  refresh_layer_map();
  explain_token();
  run_figure_maps();
  if (model_.beside.of_ticket != model_.shown.ticket) sides_.drop(beside);  // of what is no longer shown
  take_side_runs();
  measure_shown();
  refresh_layers();
  refresh_mechanism();
  refresh_training();
  refresh_seeds();
  refresh_lessons();
  refresh_lesson_file();
  run_compared();
  run_companions();
  run_presented();
  run_changed_slide();
  if (auto outcome = exporter_.poll()) take(std::move(*outcome));
  model_.exporting = exporter_.progress();
  model_.exporting.busy = model_.exporting.busy || export_asked_;
  model_.busy = runner_.busy() || layers_.busy() || (model_.net.figure_wanted && figuring_.busy());
  model_.busy_seconds = std::max({runner_.elapsed(), layers_.elapsed(), figuring_.elapsed()});
  model_.progress = std::max({runner_.progress(), layers_.progress(), figuring_.progress()});
  tick(model_, now);
}

void Session::take(Outcome outcome) {
  receive(model_, std::move(outcome));
  if (runner_.busy()) return;  // a newer one is on its way
  keep_thumbnail();
  if (auto plain = missing_comparison_run(model_)) {
    sides_.ask(unarranged, std::make_shared<const Experiment>(std::move(*plain)));
    model_.comparing = true;
  }
}

void Session::take_side_runs() {
  while (auto done = sides_.poll()) {
    auto& [key, outcome] = *done;
    if (key == unarranged) {
      model_.comparing = false;
      receive_to_compare(model_, outcome);
    } else if (key == held_a || key == held_before) {
      HeldRun& held = key == held_a ? model_.comparison.a : model_.comparison.before;
      if (outcome.experiment == held.experiment) held.outcome = std::move(outcome);
    } else if (key == slide_run) {
      model_.present.other = std::move(outcome);
      model_.present.other_from = std::exchange(slide_asked_, {});
    } else if (key == changed_run) {
      model_.present.changed.outcome = std::move(outcome);
    } else if (key.starts_with(beside)) {
      if (outcome.trace) model_.beside.traces[after(beside, key)] = outcome.trace;
      if (!outcome.error.empty()) model_.beside.errors[after(beside, key)] = outcome.error;
    } else if (key.starts_with("mechanism ")) {
      take_mechanism(key, std::move(outcome));
    } else if (key.starts_with(without)) {
      accept_run_without_head(std::stoll(after(without, key)), outcome);
    } else {
      const std::string path = after(companion, key);
      companions_asked_.erase(path);
      model_.companions[path] = {outcome.experiment, outcome.problem, outcome.trace, outcome.error, outcome.ticket};
    }
  }
}

// What waits for a piece of work does not wait for ever when that has thrown.
void Session::take_failure(const std::string& name, const Error& error) {
  if (name == "heads") model_.head_report.measuring = false;
  if (name == "export") export_asked_ = false;
  if (name.starts_with(companion) && companions_asked_.erase(after(companion, name)) > 0)
    model_.companions[after(companion, name)].error = error.message;
  if (name == slide_run) {
    model_.present.other_from = std::exchange(slide_asked_, {});
    model_.present.other = {};
    model_.present.other.error = error.message;
  }
  note(Notice::Level::error, error.message);
}

bool Session::settle(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto idle = [&] {
    return !runner_.busy() && !layers_.busy() && !looked_.busy() && !figuring_.busy() && !relevance_.busy() &&
           !sides_.busy() && companions_asked_.empty() && slide_asked_.empty() && !exporter_.busy() &&
           !reading_.busy() && !saving_.busy() && !measuring_.busy() && !trainer_.busy() &&
           (!other_seeds_ || !other_seeds_->busy()) && !model_.head_report.ablating && !model_.net.without.running;
  };
  while (true) {
    work();
    const bool was_idle = idle();
    poll(model_.now);  // takes what is finished, and may ask for more
    if (was_idle && idle() && !model_.busy && !model_.comparing) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Of what is shown, whatever has been asked since.
void Session::run_all_choices(const std::string& param) {
  if (!model_.shown.experiment) return;
  const Experiment& experiment = *model_.shown.experiment;
  const ParamSpec* spec = find_param(find_variant(experiment.variant)->params(), param);
  if (!spec || spec->type != ParamType::choice) return;
  const std::string now = experiment.params.choice(param);
  model_.beside = {param, model_.shown.ticket, {{now, model_.shown.trace}}};
  sides_.drop(beside);
  // The newest is the first to be run: the first choice is asked last.
  for (auto choice = spec->choices.rbegin(); choice != spec->choices.rend(); ++choice) {
    if (choice->id == now) continue;
    auto other = std::make_shared<Experiment>(experiment);
    other->params.set(param, choice->id);
    other->gradient.reset();  // nobody looks at those
    sides_.ask(beside + choice->id, std::move(other));
  }
}

// A and what was before the newest change, where they are looked at and their runs are not known.
void Session::run_compared() {
  run_held(held_a, model_.comparison.a, model_.screen == Screen::compare);
  run_held(held_before, model_.comparison.before, model_.comparison.change_shown);
}

void Session::run_held(const std::string& key, HeldRun& held, bool wanted) {
  const bool known = held.outcome.trace || !held.outcome.error.empty();
  if (held.experiment && wanted && !known)
    sides_.ask(key, held.experiment, model_.most_pairs);
  else
    sides_.drop(key);
}

// Those that the figure does not read any more are let go.
void Session::run_companions() {
  const auto wanted =
      model_.screen == Screen::figure ? companions_of(model_.document.figure) : std::vector<std::string>();
  const auto is_wanted = [&](const std::string& path) { return std::ranges::find(wanted, path) != wanted.end(); };
  std::erase_if(companions_asked_, [&](const std::string& path) {
    if (!is_wanted(path)) sides_.drop(companion + path);
    return !is_wanted(path);
  });
  if (model_.screen == Screen::figure)
    std::erase_if(model_.companions, [&](const auto& entry) { return !is_wanted(entry.first); });
  for (auto path = wanted.rbegin(); path != wanted.rend(); ++path)
    if (!model_.companions.contains(*path) && companions_asked_.insert(*path).second) run_companion(*path);
}

void Session::run_companion(const std::string& path) {
  const auto ask = [this, path](Result<Experiment> experiment) {
    if (!companions_asked_.contains(path)) return;  // not wanted any more
    if (experiment)
      return sides_.ask(companion + path, std::make_shared<const Experiment>(std::move(*experiment)),
                        model_.most_pairs);
    companions_asked_.erase(path);
    model_.companions[path].error = experiment.error().message;
  };
  if (const auto kept = model_.recipe_companions.find(path); kept != model_.recipe_companions.end())
    return ask(kept->second);
  reading_.run(companion + path, [path, ask]() -> Background::Taken {
    auto read = std::make_shared<Result<Experiment>>(open_experiment(path, {}));
    return [ask, read] { ask(std::move(*read)); };
  });
}

// Under the same paths there may be others.
void Session::forget_companions() {
  for (const auto& path : companions_asked_) reading_.drop(companion + path);
  companions_asked_.clear();
  sides_.drop(companion);
}

void Session::take(ExportOutcome outcome) {
  std::error_code ignored;
  for (const auto& file : outcome.files) model_.exported[std::filesystem::absolute(file, ignored)] = stamp_of(file);
  std::erase_if(model_.notices, [](const Notice& notice) { return notice.level == Notice::Level::note; });
  auto level = outcome.cancelled ? Notice::Level::warning : Notice::Level::note;
  if (!outcome.error.empty()) level = Notice::Level::error;
  note(level, words_of(outcome));
}

}  // namespace headlight::app
