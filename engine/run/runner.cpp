#include "engine/run/runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/core/memory.h"
#include "engine/run/run.h"
#include "engine/run/run_cache.h"

namespace headlight {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct Runner::State {
  struct Request {
    std::uint64_t ticket = 0;
    std::shared_ptr<const Experiment> experiment;
    double most_pairs = 0;
  };

  State(std::function<void()> wake_up, int threads) : on_finished(std::move(wake_up)), pool(threads) {}

  std::function<void()> on_finished;
  ThreadPool pool;
  std::mutex mutex;
  std::condition_variable wake;
  std::optional<Request> waiting;
  std::stop_source stop;  // of the run under way
  std::optional<Outcome> finished;
  std::uint64_t tickets = 0;
  bool running = false;
  bool closing = false;
  Clock::time_point started;
  std::atomic<float> progress{0};
  std::thread worker;
  RunCache cache{std::min(RunCache::usual_bytes, free_memory() / 4)};

  Outcome carry_out(const Request& request, std::stop_token token) {
    Outcome outcome;
    outcome.ticket = request.ticket;
    outcome.experiment = request.experiment;
    const Status status = within_memory([&] { return run_it(request, std::move(token), outcome); });
    if (!status) outcome.error = status.error().message;
    if (!status) outcome.trace.reset();
    return outcome;
  }

  Status run_it(const Request& request, std::stop_token token, Outcome& outcome) {
    Budget budget = Budget::of_this_machine();
    budget.pairs = request.most_pairs;
    HL_TRY(auto problem, prepare(*request.experiment, budget, &cache, &outcome.too_large));
    outcome.problem = std::make_shared<const Problem>(std::move(problem));
    Compute compute(pool, std::move(token), &progress);
    HL_TRY(outcome.trace, run(*outcome.problem, compute));
    return {};
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return closing || waiting; });
      if (closing) return;
      const Request request = std::move(*waiting);
      waiting.reset();
      stop = std::stop_source();
      const auto token = stop.get_token();
      running = true;
      started = Clock::now();
      progress = 0;
      lock.unlock();
      Outcome outcome = carry_out(request, token);
      lock.lock();
      running = false;
      if (token.stop_requested()) continue;
      outcome.seconds = seconds_since(started);
      finished = std::move(outcome);
      if (on_finished) {
        lock.unlock();
        on_finished();
        lock.lock();
      }
    }
  }
};

Runner::Runner(std::function<void()> on_finished, int threads)
    : state_(std::make_unique<State>(std::move(on_finished), threads)) {
  state_->worker = std::thread([state = state_.get()] { state->serve(); });
}

Runner::~Runner() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closing = true;
    state_->stop.request_stop();
  }
  state_->wake.notify_all();
  state_->worker.join();
}

std::uint64_t Runner::submit(std::shared_ptr<const Experiment> experiment, double most_pairs) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->running) state_->stop.request_stop();
  state_->waiting = State::Request{++state_->tickets, std::move(experiment), most_pairs};
  state_->wake.notify_all();
  return state_->tickets;
}

void Runner::cancel() {
  const std::scoped_lock lock(state_->mutex);
  state_->waiting.reset();
  if (state_->running) state_->stop.request_stop();
}

std::optional<Outcome> Runner::poll() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->finished, std::nullopt);
}

bool Runner::busy() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->running || state_->waiting;
}

const RunCache& Runner::cache() const {
  return state_->cache;
}

float Runner::progress() const {
  return state_->progress.load(std::memory_order_relaxed);
}

double Runner::elapsed() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->running ? seconds_since(state_->started) : 0;
}

}  // namespace headlight
