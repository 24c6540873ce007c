#include "app/session/trainer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/core/memory.h"
#include "engine/core/parallel.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/learn/training_folder.h"

namespace headlight::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double seen_pace = 60;                              // steps a second, up to which each is measured
constexpr auto between_news = std::chrono::milliseconds(30);  // while it goes fast

// One processor is left to the window.
int threads_to_train() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

}  // namespace

struct Trainer::State {
  std::function<void()> on_change;
  ServedBy served_by = ServedBy::own_thread;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::thread worker;
  bool ended = false;
  bool at_rest = true;    // nothing is due
  std::stop_source stop;  // of the training that was asked for last

  std::optional<learn::TrainingPlan> begin;  // that is asked
  learn::Schedule schedule;                  // on its way
  // What is asked of the training that is there, in the order in which it is done.
  struct Asked {
    std::optional<learn::StepSettings> settings;
    std::optional<Index> steps_in_all;
    std::vector<std::pair<learn::TrainedHead, learn::HeadChange::To>> changes;
    std::optional<Index> look;
    std::optional<Explored> explore;  // whose experiments are to be made
    std::optional<std::filesystem::path> save;
    bool measure_heads = false;
    Index steps = 0;  // to be taken one by one
  } asked;
  std::string refused;    // why the settings could not be taken
  bool at_heads = false;  // something of them is under way
  bool playing = false, until_learned = false, begun = false, slopes_wanted = false;
  std::optional<Index> play_to;
  double pace = 20;
  Clock::time_point next_step;

  std::optional<TrainerNews> news;
  Clock::time_point told;

  // Of the worker alone.
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<learn::Filming> filming;

  // ---- The lock is held before and after each of these.

  // What is told next.
  TrainerNews& pending_news() { return news ? *news : news.emplace(); }

  void publish(bool at_once, std::string error = {}) {
    if (!at_once && Clock::now() - told < between_news) return;
    told = Clock::now();
    pending_news().film = filming ? std::make_shared<const learn::Film>(filming->film()) : nullptr;
    pending_news().error = error.empty() ? refused : std::move(error);
    if (on_change) on_change();
  }

  // Works without the lock. False where what it was about is given up.
  template <class Work>
  bool carry_out(std::unique_lock<std::mutex>& lock, const Work& work) {
    const std::stop_token token = stop.get_token();
    lock.unlock();
    if (!pool) pool = std::make_unique<ThreadPool>(threads_to_train());
    Compute compute(*pool, token);
    const Status done = catch_all([&]() -> Status { return work(compute); });
    lock.lock();
    if (token.stop_requested() || ended) {
      filming.reset();
      return false;
    }
    if (done) return true;
    filming.reset();
    begun = playing = false;
    asked.steps = 0;
    news.reset();
    publish(true, done.error().message);
    return false;
  }

  void make(std::unique_lock<std::mutex>& lock) {
    learn::TrainingPlan plan = std::move(*begin);
    begin.reset();
    const learn::Schedule known = std::exchange(schedule, {});
    const bool with_slopes = slopes_wanted;
    const bool made = carry_out(lock, [&](Compute& compute) -> Status {
      filming.reset();
      HL_TRY(filming, learn::Filming::begin(std::move(plan), compute));
      filming->set_schedule(known);
      filming->want_slopes(with_slopes);
      HL_CHECK(filming->replay(0, compute));
      return {};
    });
    if (!made) return;
    news.reset();
    publish(true);
  }

  void make_again(std::unique_lock<std::mutex>& lock) {
    const Index wanted = std::clamp<Index>(*std::exchange(asked.look, std::nullopt), 0, filming->film().step);
    std::shared_ptr<const learn::FilmFrame> frame;
    const bool made = carry_out(lock, [&](Compute& compute) -> Status {
      HL_TRY(frame, filming->replay(wanted, compute));
      return {};
    });
    if (!made) return;
    pending_news().asked = std::move(frame);
    publish(true);
  }

  void make_experiment(std::unique_lock<std::mutex>& lock) {
    auto made = std::make_shared<Explored>(*std::exchange(asked.explore, std::nullopt));
    made->step = std::clamp<Index>(made->step, 0, filming->film().step);
    if (made->map >= std::ssize(filming->film().example->maps)) return;
    const bool done = carry_out(lock, [&](Compute& compute) -> Status {
      HL_TRY(made->experiment, filming->explore(made->step, made->map, compute));
      if (made->step_before) {
        HL_TRY(made->before, filming->explore(*made->step_before, made->map, compute));
      }
      return {};
    });
    if (!done) return;
    pending_news().explored = std::move(made);
    publish(true);
  }

  void write_folder(std::unique_lock<std::mutex>& lock) {
    auto made = std::make_shared<SavedTraining>();
    made->folder = *std::exchange(asked.save, std::nullopt);
    made->step = filming->film().step;
    const bool went_on = carry_out(lock, [&](Compute&) -> Status {
      if (learn::is_training_folder(made->folder))
        made->error = fmt::format("{} holds a training already: choose another name", one_line(utf8(made->folder)));
      else if (const Status written = filming->save(made->folder); !written)
        made->error = written.error().message;
      return {};
    });
    if (!went_on) return;
    pending_news().saved = std::move(made);
    publish(true);
  }

  void apply_settings(std::unique_lock<std::mutex>& lock) {
    const learn::StepSettings wanted = *std::exchange(asked.settings, std::nullopt);
    std::string why;
    const bool done = carry_out(lock, [&](Compute& compute) -> Status {
      if (const Status set_now = filming->set(wanted, compute); !set_now) why = set_now.error().message;
      return {};
    });
    if (!done) return;
    refused = std::move(why);
    publish(true);
  }

  void change_heads(std::unique_lock<std::mutex>& lock) {
    const auto wanted = std::exchange(asked.changes, {});
    at_heads = true;
    const bool done = carry_out(lock, [&](Compute& compute) -> Status {
      for (const auto& [head, to] : wanted) HL_CHECK(filming->change(head, to, compute));
      return {};
    });
    at_heads = false;
    if (done) publish(true);
  }

  void weigh_heads(std::unique_lock<std::mutex>& lock) {
    asked.measure_heads = false;
    at_heads = true;
    auto made = std::make_shared<TrainHeads>(TrainHeads{filming->film().step, {}});
    const bool done = carry_out(lock, [&](Compute& compute) -> Status {
      HL_TRY(made->importance, filming->importance(compute));
      return {};
    });
    at_heads = false;
    if (!done) return;
    pending_news().heads = std::move(made);
    publish(true);
  }

  bool is_step_due(Clock::time_point now) const {
    if (!filming->film().has_more_steps() || !refused.empty()) return false;
    return asked.steps > 0 || (playing && (is_unpaced() || now >= next_step));
  }
  bool is_unpaced() const { return play_to || pace <= 0; }

  void take_step(std::unique_lock<std::mutex>& lock) {
    const bool single = asked.steps > 0, seen = single || (!is_unpaced() && pace <= seen_pace);
    if (single) --asked.steps;
    const auto now = Clock::now();
    if (!is_unpaced()) {
      const auto each = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / pace));
      next_step = std::max(next_step + each, now);
    }
    if (!carry_out(lock, [&](Compute& compute) { return filming->take_step(seen, compute); })) return;
    if (should_rest()) playing = false;
    publish(seen);
  }

  // Whether playing has come to where it was to go.
  bool should_rest() const {
    const learn::Film& film = filming->film();
    const bool measured = film.newest->step == film.step;
    return !film.has_more_steps() || !refused.empty() ||
           (until_learned && measured && film.has_learned(*film.newest)) || (play_to && film.step >= *play_to);
  }

  // The step at which it rests is seen, though it was too fast to be kept.
  bool lacks_frame() const {
    const learn::Film& film = filming->film();
    return !playing && !film.broken && film.newest->step != film.step;
  }

  // Does one piece of what waits. False where nothing is due.
  bool serve(std::unique_lock<std::mutex>& lock) {
    at_rest = !serve_next(lock);
    return !at_rest;
  }

  bool serve_next(std::unique_lock<std::mutex>& lock) {
    if (begin) {
      make(lock);
      return true;
    }
    if (!filming) return false;
    if (asked.settings) {
      apply_settings(lock);
      return true;
    }
    if (asked.steps_in_all) {
      filming->set_steps(*std::exchange(asked.steps_in_all, std::nullopt));
      publish(true);
    }
    filming->want_slopes(slopes_wanted);
    if (!asked.changes.empty()) {
      change_heads(lock);
      return true;
    }
    if (playing && should_rest()) playing = false;
    if (asked.look) {
      make_again(lock);
    } else if (asked.explore) {
      make_experiment(lock);
    } else if (asked.save) {
      write_folder(lock);
    } else if (asked.measure_heads) {
      weigh_heads(lock);
    } else if (is_step_due(Clock::now())) {
      take_step(lock);
    } else if (lacks_frame()) {
      if (carry_out(lock, [&](Compute& compute) { return filming->measure(compute); })) publish(true);
    } else {
      asked.steps = 0;  // there are no more
      return false;
    }
    if (filming && !playing && !begin && asked.steps == 0 && !lacks_frame()) publish(true);  // the last that there is
    return true;
  }

  void loop() {
    std::unique_lock lock(mutex);
    while (!ended) {
      if (serve(lock)) continue;
      if (ended) break;
      if (filming && playing)
        changed.wait_until(lock, next_step);
      else
        changed.wait(lock);
    }
  }

  bool is_busy() const {
    const bool about_heads = !asked.changes.empty() || asked.measure_heads || at_heads;
    const bool waits_for_its_time = playing && !is_unpaced() && !begin && !about_heads;
    return news.has_value() || (!at_rest && !waits_for_its_time);
  }

  // Asks for something.
  template <class Ask>
  void ask(const Ask& what) {
    {
      const std::scoped_lock lock(mutex);
      what();
      at_rest = at_rest && !begun;
    }
    changed.notify_all();
  }
};

Trainer::Trainer(std::function<void()> on_change, ServedBy served_by) : state_(std::make_unique<State>()) {
  state_->on_change = std::move(on_change);
  state_->served_by = served_by;
}

Trainer::~Trainer() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->ended = true;
    state_->stop.request_stop();
  }
  state_->changed.notify_all();
  if (state_->worker.joinable()) state_->worker.join();
}

void Trainer::begin(learn::TrainingPlan plan, learn::Schedule schedule) {
  State& s = *state_;
  s.ask([&] {
    s.stop.request_stop();
    s.stop = std::stop_source();
    s.begin = std::move(plan);
    s.schedule = std::move(schedule);
    s.begun = true;
    s.playing = false;
    s.asked = {};
    s.refused.clear();
    s.news.reset();
  });
  if (s.served_by == ServedBy::own_thread && !s.worker.joinable()) s.worker = std::thread([&s] { s.loop(); });
}

bool Trainer::has_begun() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->begun;
}

void Trainer::play(bool until_learned) {
  State& s = *state_;
  s.ask([&] {
    s.playing = s.begun;
    s.until_learned = until_learned;
    s.play_to.reset();
    s.next_step = Clock::now();
  });
}

void Trainer::play_to(Index step) {
  State& s = *state_;
  s.ask([&] {
    s.playing = s.begun;
    s.until_learned = false;
    s.play_to = step;
  });
}

void Trainer::pause() {
  state_->ask([this] {
    state_->playing = false;
    state_->asked.steps = 0;
  });
}

void Trainer::take_step() {
  state_->ask([this] {
    state_->playing = false;
    ++state_->asked.steps;
  });
}

void Trainer::apply_settings(const learn::StepSettings& settings) {
  state_->ask([&] { state_->asked.settings = settings; });
}

void Trainer::set_steps(Index steps) {
  state_->ask([&] { state_->asked.steps_in_all = steps; });
}

void Trainer::set_pace(double per_second) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->pace == per_second) return;
  state_->pace = per_second;
  state_->next_step = Clock::now();
  state_->changed.notify_all();
}

void Trainer::look_at(Index step) {
  state_->ask([&] { state_->asked.look = step; });
}

void Trainer::want_slopes(bool wanted) {
  const std::scoped_lock lock(state_->mutex);
  state_->slopes_wanted = wanted;
}

void Trainer::explore(Index step, Index map, std::optional<Index> before) {
  state_->ask(
      [&] { state_->asked.explore = Explored{.step = step, .map = map, .experiment = {}, .step_before = before}; });
}

void Trainer::save(std::filesystem::path folder) {
  state_->ask([&] { state_->asked.save = std::move(folder); });
}

void Trainer::change_head(learn::TrainedHead head, learn::HeadChange::To to) {
  state_->ask([&] { state_->asked.changes.emplace_back(head, to); });
}

void Trainer::measure_heads() {
  state_->ask([&] { state_->asked.measure_heads = true; });
}

bool Trainer::pump(Clock::time_point until) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  bool served = false;
  while (s.serve(lock)) {
    served = true;
    if (Clock::now() >= until) break;
  }
  return served;
}

bool Trainer::playing() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->playing;
}

bool Trainer::busy() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->is_busy();
}

std::optional<TrainerNews> Trainer::poll() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->news, std::nullopt);
}

}  // namespace headlight::app
