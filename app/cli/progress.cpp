#include "app/cli/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "app/cli/messages.h"
#include "app/reading/step_words.h"
#include "engine/core/system/process.h"
#include "engine/io/experiment_files.h"
#include "engine/measures/head_outputs.h"
#include "engine/picture/value_range.h"
#include "engine/run/edits.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/run/run_cache.h"

namespace headlight::app {

namespace {

// Draws "reading what it needs" and then "running 42 %" over itself until told to stop; passes Ctrl-C on as a stop
// request.
class ProgressLine {
 public:
  ProgressLine(const std::atomic<float>& progress, std::stop_source& stop, bool show)
      : thread_([this, &progress, &stop, show] { watch(progress, stop, show); }) {}
  ~ProgressLine() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    thread_.join();
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void watch(const std::atomic<float>& progress, std::stop_source& stop, bool show) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(200), [&] { return done_; })) {
      if (was_interrupted()) stop.request_stop();
      if (!show) continue;
      if (progress.load() < 0)
        fmt::print(stderr, "\rreading what it needs");
      else
        fmt::print(stderr, "\r\033[Krunning {:3.0f} %", 100 * progress.load());
      std::fflush(stderr);
      drawn_ = true;
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  bool drawn_ = false;
  std::thread thread_;
};

void print_warnings(const Trace& trace) {
  for (const auto& note : trace.notes) print_note(note);
  for (const auto& warning : trace.warnings) print_warning(warning);
  for (const auto& step : trace.steps)
    for (const auto& warning : step.warnings) print_warning(fmt::format("{}: {}", step.info.id, warning));
  if (const auto origin = trace.origin_of_non_finite()) print_warning(origin_in_words(trace, *origin));
}

}  // namespace

struct Progress::State {
  explicit State(bool show) : line(fraction, stop, show) {}
  std::atomic<float> fraction{-1};
  std::stop_source stop;
  ProgressLine line;
};

Progress::Progress(bool quiet) {
  catch_interrupts();
  state_ = std::make_unique<State>(!quiet && standard_error_is_terminal());
}
Progress::~Progress() {
  release_interrupts();
}

std::stop_token Progress::stop_token() const {
  return state_->stop.get_token();
}

std::atomic<float>* Progress::fraction() const {
  return &state_->fraction;
}

Result<RunResult> run_with_progress(const Experiment& experiment, bool quiet) {
  RunResult ran;
  {
    const Progress progress(quiet);
    HL_TRY(auto problem, prepare(experiment));
    ran.problem = std::make_shared<const Problem>(std::move(problem));
    *progress.fraction() = 0;
    ThreadPool pool;
    Compute compute(pool, progress.stop_token(), progress.fraction());
    HL_TRY(ran.trace, run(*ran.problem, compute));
  }
  if (!quiet) {
    if (const std::string note = files_outside_note(experiment); !note.empty()) print_note(note);
    for (const auto& notice : experiment.notices) print_note(notice);
    for (const auto& note : notes_on_edits(*ran.trace)) print_note(note);
    print_warnings(*ran.trace);
  }
  return ran;
}

Result<std::vector<double>> ablate_heads(const Experiment& experiment, const Trace& trace, Index heads, bool quiet) {
  const Progress progress(quiet);
  *progress.fraction() = 0;
  ThreadPool pool;
  RunCache cache;
  std::vector<double> changes;
  for (Index head = 0; head < heads; ++head) {
    Experiment off = experiment;
    off.gradient.reset();
    off.edits.push_back(*edit_switching_off(trace, head));
    HL_TRY(const Problem problem, prepare(off, Budget::of_this_machine(), &cache));
    Compute compute(pool, progress.stop_token());
    HL_TRY(const auto without, run(problem, compute));
    changes.push_back(relative_change(trace.output()->tensor(), without->output()->tensor()));
    *progress.fraction() = static_cast<float>(head + 1) / static_cast<float>(heads);
  }
  return changes;
}

}  // namespace headlight::app
