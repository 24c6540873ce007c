#include "app/session/background.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/memory.h"

namespace headlight::app {

namespace {

using Clock = std::chrono::steady_clock;

struct Waiting {
  Background::Work work;
  Clock::time_point due;
  std::uint64_t ticket = 0;
};

struct Done {
  std::string name;
  Background::Taken taken;
  std::uint64_t ticket = 0;
};

}  // namespace

struct Background::State {
  std::function<void()> on_done;
  Failed on_failed;
  ServedBy served_by = ServedBy::own_thread;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Waiting> waiting;
  std::map<std::string, std::uint64_t> newest;  // ticket by name
  std::vector<Done> done;
  std::uint64_t last_ticket = 0;
  bool working = false, hurry = false, ended = false;
  std::thread worker;

  // The first that is due; the lock is held.
  std::map<std::string, Waiting>::iterator next() {
    auto first = waiting.end();
    for (auto at = waiting.begin(); at != waiting.end(); ++at)
      if (first == waiting.end() || at->second.due < first->second.due) first = at;
    return first;
  }

  void loop() {
    std::unique_lock lock(mutex);
    while (!ended) {
      const auto first = next();
      if (first == waiting.end()) {
        changed.wait(lock);
        continue;
      }
      if (!hurry && first->second.due > Clock::now()) {
        changed.wait_until(lock, first->second.due);
        continue;
      }
      serve(first, lock);
    }
  }

  // Does a piece that waits; the lock is held before and afterwards.
  void serve(std::map<std::string, Waiting>::iterator first, std::unique_lock<std::mutex>& lock) {
    const std::string name = first->first;
    const Waiting piece = std::move(first->second);
    waiting.erase(first);
    working = true;
    lock.unlock();
    const Result<Taken> done_work = catch_all([&]() -> Result<Taken> { return piece.work(); });
    Taken taken = done_work ? *done_work : [this, name, error = done_work.error()] {
      if (on_failed) on_failed(name, error);
    };
    lock.lock();
    working = false;
    if (taken && newest[name] == piece.ticket) done.push_back({name, std::move(taken), piece.ticket});
    changed.notify_all();
    if (on_done) on_done();
  }
};

Background::Background(std::function<void()> on_done, Failed on_failed, ServedBy served_by)
    : state_(std::make_unique<State>()) {
  state_->served_by = served_by;
  state_->on_done = std::move(on_done);
  state_->on_failed = std::move(on_failed);
}

Background::~Background() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->ended = true;
  }
  state_->changed.notify_all();
  if (state_->worker.joinable()) state_->worker.join();
}

void Background::run(const std::string& name, Work work, std::chrono::milliseconds delay) {
  State& s = *state_;
  {
    const std::scoped_lock lock(s.mutex);
    const auto found = s.waiting.find(name);
    const auto due = found == s.waiting.end() ? Clock::now() + delay : found->second.due;
    s.newest[name] = ++s.last_ticket;
    s.waiting[name] = {std::move(work), due, s.last_ticket};
  }
  if (s.served_by == ServedBy::own_thread && !s.worker.joinable()) s.worker = std::thread([&s] { s.loop(); });
  s.changed.notify_all();
}

void Background::drop(const std::string& name) {
  const std::scoped_lock lock(state_->mutex);
  state_->waiting.erase(name);
  state_->newest[name] = ++state_->last_ticket;
}

void Background::flush() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  if (s.served_by == ServedBy::caller) {
    while (!s.waiting.empty()) s.serve(s.next(), lock);
    return;
  }
  s.hurry = true;
  s.changed.notify_all();
  s.changed.wait(lock, [&] { return s.waiting.empty() && !s.working; });
  s.hurry = false;
}

bool Background::pump(std::chrono::steady_clock::time_point until) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  bool served = false;
  for (auto first = s.next(); first != s.waiting.end(); first = s.next()) {
    const auto now = Clock::now();
    if (first->second.due > now || now >= until) break;
    s.serve(first, lock);
    served = true;
  }
  return served;
}

void Background::poll() {
  std::vector<Done> done;
  {
    const std::scoped_lock lock(state_->mutex);
    for (auto& one : std::exchange(state_->done, {}))
      if (state_->newest[one.name] == one.ticket) done.push_back(std::move(one));
  }
  for (const auto& one : done) one.taken();
}

bool Background::busy() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->working || !state_->waiting.empty() || !state_->done.empty();
}

}  // namespace headlight::app
