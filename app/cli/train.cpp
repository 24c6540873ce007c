// headlight train: lets a network learn a task, and writes what it has become into a folder.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/cli/train_heads.h"
#include "app/figures/training_figure.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/core/system/process.h"
#include "engine/io/file.h"
#include "engine/learn/film.h"
#include "engine/learn/part_experiment.h"
#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "engine/math/kernels.h"

namespace headlight::app {

namespace {

using namespace learn;
using Clock = std::chrono::steady_clock;

constexpr double seconds_between_saves = 5;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

// Which steps are kept as snapshots.
class SnapshotRule {
 public:
  // "", "log" or "every=10".
  static Result<SnapshotRule> of(const std::string& text) {
    SnapshotRule rule;
    if (text.empty()) return rule;
    if (text == "log") {
      rule.every_ = -1;
      return rule;
    }
    char rest = 0;
    long long every = 0;
    if (std::sscanf(text.c_str(), "every=%lld%c", &every, &rest) != 1 || every < 1)
      return fail("--snapshots {}: it must be log, or every= and a whole number, as in every=10", brief(text));
    rule.every_ = every;
    return rule;
  }
  bool keeps(Index step) const {
    if (every_ > 0) return step % every_ == 0;
    if (every_ == 0) return false;
    Index power = 1;
    while (power * 10 <= step) power *= 10;
    return step == 0 || step == power || step == 2 * power || step == 5 * power;
  }

 private:
  Index every_ = 0;  // 0: none, −1: 0, 1, 2, 5, 10, 20, 50 …
};

// Figures in the task's order, "loss" first.
std::string figures_in_words(const Task& task, const Figures& figures) {
  std::string text = fmt::format("loss {:.4g}", figures.at("loss"));
  for (const FigureWords& figure : task.figures())
    if (const auto found = figures.find(figure.id); found != figures.end() && figure.id != "loss")
      text += fmt::format("  {} {:.3f}", figure.id, found->second);
  return text;
}

// A training on the way, and what it writes.
class Run {
 public:
  Run(const TrainOptions& options, Training& training, Curves curves, SnapshotRule snapshots)
      : options_(options), training_(training), curves_(std::move(curves)), snapshots_(snapshots) {}

  Status go(Compute& compute) {
    saved_ = begun_ = Clock::now();
    first_ = training_.step();
    HL_CHECK(measure(compute));
    HL_CHECK(save());  // what cannot be written is told before anything is learned
    HL_CHECK(keep_snapshot());
    while (training_.step() < training_.plan().steps && !was_interrupted() && !training_.broken() && !clicked_) {
      curves_.losses.push_back(training_.take_step(compute));
      if (training_.broken()) break;
      HL_CHECK(keep_snapshot());
      if (wants_figures()) HL_CHECK(measure(compute));
      if (seconds_since(saved_) > seconds_between_saves) HL_CHECK(save());
      show_progress();
    }
    clear_progress();
    if (!training_.broken() && !curves_.figures.contains(training_.step())) HL_CHECK(measure(compute));
    return save();
  }

 private:
  Status save() {
    saved_ = Clock::now();
    if (!options_.losses.empty()) HL_CHECK(write_file(options_.losses, losses_as_csv(curves_)));
    if (training_.broken()) return {};  // what stands in the folder is the last that was whole
    return write_training(options_.output, training_, curves_);
  }

  Status keep_snapshot() {
    if (!snapshots_.keeps(training_.step())) return {};
    return write_snapshot(options_.output, training_.snapshot());
  }

  bool wants_figures() const {
    const Index step = training_.step(), steps = training_.plan().steps;
    if (options_.until_learned && step % 10 == 0) return true;
    return step == steps || step % std::max<Index>(1, steps / 10) == 0;
  }

  Status measure(Compute& compute) {
    HL_TRY(const Figures figures, training_.measure(compute));
    const Task& task = *training_.plan().task;
    curves_.figures[training_.step()] = figures;
    clicked_ = options_.until_learned && task.info().is_learned(figures);
    clear_progress();
    if (!options_.quiet) fmt::print("step {:>6}  {}\n", training_.step(), figures_in_words(task, figures));
    std::fflush(stdout);
    return {};
  }

  void show_progress() {
    if (options_.quiet || !standard_error_is_terminal() || seconds_since(shown_) < 0.2) return;
    shown_ = Clock::now();
    const auto taken = static_cast<double>(training_.step() - first_);
    const double rate = taken / seconds_since(begun_);
    const auto left = static_cast<double>(training_.plan().steps - training_.step());
    fmt::print(stderr, "\r\033[Kstep {} of {}  loss {:.4g}  {:.0f} steps a second  {:.0f} s left", training_.step(),
               training_.plan().steps, curves_.losses.back(), rate, left / rate);
    std::fflush(stderr);
    drawn_ = true;
  }
  void clear_progress() {
    if (std::exchange(drawn_, false)) std::fputs("\r\033[K", stderr);
  }

  const TrainOptions& options_;
  Training& training_;
  Curves curves_;
  SnapshotRule snapshots_;
  Clock::time_point begun_, saved_, shown_;
  Index first_ = 0;
  bool clicked_ = false, drawn_ = false;
};

Result<OpenedTraining> opened(const TrainOptions& options) {
  if (!options.from.empty()) return open_training(options.from);
  OpenedTraining fresh;
  std::vector<std::string> notices;
  if (is_standard_stream(options.training)) {
    HL_TRY(const std::string json, read_standard_input());
    HL_TRY(fresh.plan, parse_training(json, {}, standard_input_name, notices));
  } else {
    HL_TRY(fresh.plan, read_training(options.training, notices));
  }
  if (!options.quiet)
    for (const std::string& notice : notices) print_note(notice);
  return fresh;
}

Status use_kernels_named(const std::string& name) {
  if (name.empty()) return {};
  const math::Kernels* kernels = math::kernels_named(name);
  if (!kernels)
    return fail("--kernels {}: it must be baseline, avx2 or avx512, as far as the processor has them", brief(name));
  math::use_kernels(*kernels);
  return {};
}

// A folder that holds another training is not written over by mistake.
Status check_output(const TrainOptions& options) {
  if (options.from.empty() && is_training_folder(options.output) && !options.force)
    return fail("{} holds a training: go on with --from {}, or begin anew with --force", one_line(utf8(options.output)),
                one_line(utf8(options.output)));
  return {};
}

std::string broken_in_words(const Training& training) {
  const NonFiniteAt& at = *training.broken();
  if (at.array.empty() || at.array == "loss: loss")
    return fmt::format(
        "the loss of step {} is NaN or infinite: what the network says is too large to be squared. Steps that are too "
        "long do that: try a smaller options.lr than {}",
        at.step, training.plan().options.values.real("lr"));
  return fmt::format(
      "the loss of step {} is NaN or infinite, and {} is the first array with such a number. Steps that are too long "
      "do "
      "that: try a smaller options.lr than {}",
      at.step, at.array, training.plan().options.values.real("lr"));
}

// Writes a part of what was learned, on one of the examples that nobody learned from, as an experiment.
Status explore(const TrainOptions& options) {
  if (options.from.empty()) return fail("--explore is of what was learned: name its folder with --from");
  HL_TRY(const OpenedTraining opened, open_training(options.from));
  ThreadPool pool(options.threads);
  Compute compute(pool);
  HL_TRY(const auto training, training_at(options.from, options.at.value_or(opened.snapshot.step), compute));
  const learn::PartIndex part{options.map, options.example};
  if (const Status known = check_part(training->plan(), part); !known) return fail("--{}", known.error().message);
  HL_CHECK(change_heads(options, *training));
  HL_TRY(const Experiment experiment, part_experiment(*training, part, compute));
  return write_experiment(experiment, options.explore);
}

// Takes its steps once more, and draws what they looked like.
Status draw_figure(const TrainOptions& options) {
  if (options.heads_off || options.redraw)
    return fail("--heads-off and --redraw say how something is learned, and --figure draws what was: leave them out");
  if (options.example > 0) return fail("--example is of --explore: a figure shows the first of the examples held out");
  HL_TRY(const FigureFormat format, training_figure_format(options.figure));
  HL_TRY(OpenedTraining opened, open_training(options.from));
  const Index steps = options.at.value_or(opened.snapshot.step);
  if (steps > opened.snapshot.step)
    return fail("--at {}: {} has taken {} steps", steps, one_line(utf8(options.from)), opened.snapshot.step);
  const Progress progress(options.quiet);
  ThreadPool pool(options.threads);
  Compute compute(pool, progress.stop_token());
  opened.plan.steps = std::max(opened.plan.steps, steps);  // heads may have been given more to heal
  HL_TRY(const auto filming, Filming::begin(std::move(opened.plan), compute));
  filming->set_schedule(opened.curves.schedule);
  for (Index step = 0; step < steps && filming->film().has_more_steps(); ++step) {
    HL_CHECK(filming->take_step(false, compute));
    if (auto* fraction = progress.fraction()) *fraction = static_cast<float>(step) / static_cast<float>(steps);
  }
  HL_CHECK(filming->measure(compute));
  const Film& film = filming->film();
  const std::string other = loss_mismatch(opened.curves, film.step, film.newest->loss);
  if (!other.empty() && !options.quiet) print_note(other);
  const TrainingFigure asked{options.map.value_or(std::ssize(film.example->maps) - 1), options.head};
  HL_TRY(const std::string bytes, training_figure(film, asked, font_files_in(assets_folder() / "fonts"), format));
  return write_file(options.figure, bytes);
}

// Where nothing is learned, what says how would be dropped in silence.
Status check_for_learning_nothing(const TrainOptions& options) {
  const char* mode = options.importance ? "--importance" : "--explore";
  if (!options.figure.empty()) mode = "--figure";
  const std::pair<const char*, bool> of_learning[] = {{"-o", !options.output.empty()},
                                                      {"--steps", options.steps.has_value()},
                                                      {"--losses", !options.losses.empty()},
                                                      {"--snapshots", !options.snapshots.empty()},
                                                      {"--until-learned", options.until_learned},
                                                      {"--force", options.force}};
  for (const auto& [name, is_given] : of_learning)
    if (is_given)
      return fail("{} says how something is learned, and with {} nothing is: leave one of them out", name, mode);
  return {};
}

}  // namespace

Status train_command(TrainOptions options) {
  if (options.importance && options.from.empty())
    return fail("--importance is of what was learned: name its folder with --from");
  if (!options.figure.empty() && options.from.empty())
    return fail("--figure is of what was learned: name its folder with --from");
  if (options.training.empty() && options.from.empty())
    return fail("train needs a file that says what is to be learned, or --from a folder to go on from");
  if (!options.training.empty() && !options.from.empty())
    return fail("train takes a file or --from, not both: {} says itself what is learned", one_line(utf8(options.from)));
  HL_CHECK(use_kernels_named(options.kernels));
  const bool shows = !options.explore.empty() || !options.figure.empty();
  if (options.importance || shows) HL_CHECK(check_for_learning_nothing(options));
  if (!shows && (options.map || options.example > 0 || (options.at && !options.importance)))
    return fail("--at, --map and --example say what --explore or --figure writes, which is missing");
  if (options.importance) return print_importance(options);
  if (!options.explore.empty()) return explore(options);
  if (!options.figure.empty()) return draw_figure(options);
  if (options.output.empty()) options.output = options.from;
  if (options.output.empty()) return fail("-o is missing: the folder that the trained network is written into");
  HL_CHECK(check_output(options));
  HL_TRY(const SnapshotRule snapshots, SnapshotRule::of(options.snapshots));
  HL_TRY(OpenedTraining begun, opened(options));
  if (options.steps) begun.plan.steps = *options.steps;
  if (!options.from.empty() && begun.snapshot.step >= begun.plan.steps)
    return fail("{} has taken its {} steps: say how many there are to be with --steps", one_line(utf8(options.from)),
                begun.snapshot.step);
  catch_interrupts();
  ThreadPool pool(options.threads);
  Compute compute(pool);
  HL_TRY(const auto training, Training::make(std::move(begun.plan), compute));
  if (!options.from.empty())
    if (const Status fits = training->restore(begun.snapshot); !fits)
      return fail_at(one_line(utf8(options.from / "state.safetensors")), fits.error());
  HL_CHECK(
      training->set(settings_at(begun.curves.schedule, training->step(), first_settings(training->plan())), compute));
  HL_CHECK(change_heads(options, *training));
  Run run(options, *training, std::move(begun.curves), snapshots);
  HL_CHECK(run.go(compute));
  if (training->broken()) return fail("{}", broken_in_words(*training));
  if (was_interrupted() && !options.quiet)
    print_note(
        fmt::format("stopped after {} steps: go on with --from {}", training->step(), one_line(utf8(options.output))));
  return {};
}

}  // namespace headlight::app
