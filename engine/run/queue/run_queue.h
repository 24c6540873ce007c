// One queue for all runs of a session, with one pool of threads and one cache: a run at a time, main runs before side
// runs, the newest first among equals. A main run stops a side run that is under way; that begins again after it.
//
// Not to be asked directly: Runner and SideRuns (runner.h) put runs into it and take what comes out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/served_by.h"
#include "engine/io/experiment.h"
#include "engine/run/outcome.h"
#include "engine/run/run_cache.h"

namespace headlight {

enum class RunRank { main, side };

// Tickets rise by so many: what is shown between two runs, as a step of a lesson, has room for tickets of its own.
inline constexpr std::uint64_t between_tickets = 1 << 16;

class RunQueue {
 public:
  using Clock = std::chrono::steady_clock;
  // `on_finished` is called from whoever serves when a result waits to be polled (to wake a sleeping window). Served by
  // its caller it starts no thread at all, and `threads` means nothing.
  explicit RunQueue(std::function<void()> on_finished = {}, int threads = 0, ServedBy served_by = ServedBy::own_thread);
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  // Who asks for runs and takes what becomes of them. The queue must outlive it.
  class Client {
   public:
    Client(RunQueue& queue, RunRank rank) : queue_(queue), rank_(rank) {}
    ~Client() { withdraw_all(); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Never waits. Returns the ticket that the outcome will carry, another for each run of the queue and larger than
    // those before. A run of more pairs of query and key in a head than `most_pairs` is refused; 0: any number.
    std::uint64_t ask(std::shared_ptr<const Experiment> experiment, double most_pairs);
    // The same of other work than an experiment: it carries its result along, and its outcome says how it ended. It may
    // be begun more than once.
    using Work = std::function<Status(ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress)>;
    std::uint64_t ask(Work work);
    // The run is not made, or stopped; its outcome is not delivered any more.
    void withdraw(std::uint64_t ticket);
    void withdraw_all();
    // The oldest outcome not yet taken.
    std::optional<Outcome> poll();
    // Whether a run waits, is under way, or has an outcome that was not polled.
    bool busy() const;
    // 0 to 1 of the client's run that is under way, and how many seconds that has taken; 0 when there is none.
    float progress() const;
    double elapsed() const;

   private:
    friend class RunQueue;
    std::uint64_t put(std::shared_ptr<const Experiment> experiment, double most_pairs, Work work);
    RunQueue& queue_;
    RunRank rank_;
  };

  // Where the caller serves: makes runs until that time, or until none waits, and says whether any did. A run that
  // has begun is made to its end.
  bool pump(Clock::time_point until);

  // What all of its runs have read and drawn.
  const RunCache& cache() const { return cache_; }
  // 0 to 1 of the run under way, whoever asked for it.
  float progress() const { return progress_.load(std::memory_order_relaxed); }

 private:
  struct Request {
    std::uint64_t ticket = 0;
    const Client* client = nullptr;
    RunRank rank = RunRank::main;
    std::shared_ptr<const Experiment> experiment;
    double most_pairs = 0;
    Client::Work work = {};  // in place of an experiment
  };

  void serve();
  void serve_next(std::unique_lock<std::mutex>& lock);
  Outcome carry_out(const Request& request, std::stop_token token);
  Status execute(const Request& request, std::stop_token token, Outcome& outcome);
  Request take_next();
  // Of what waits, is under way and is finished; under the lock.
  template <class Which>
  void withdraw(Which which);

  std::function<void()> on_finished_;
  ThreadPool pool_;
  RunCache cache_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Request> waiting_;
  std::optional<Request> running_;
  std::stop_source stop_;  // of the run under way
  std::vector<std::pair<const Client*, Outcome>> finished_;
  std::uint64_t tickets_ = 0;
  bool closing_ = false;
  Clock::time_point started_;
  std::atomic<float> progress_{0};
  std::thread worker_;  // the last to be made, since it uses all of the above; none where the caller serves
};

}  // namespace headlight
