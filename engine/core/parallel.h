// Threads to compute with, a way to stop, and a way to say how far it has come.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/core/pause.h"
#include "engine/core/tensor.h"

namespace headlight {

// A fixed set of worker threads. The calling thread works too, so a pool of n has n − 1 threads.
class ThreadPool {
 public:
  // 0 asks for as many as the machine has processors.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;
  // Calls body(begin, end) over [0, count) in pieces of at most `grain`, and returns when all are done.
  // What a body throws, which is running out of memory, is thrown here once all threads are done.
  // Which thread takes which piece varies; results must not depend on it. Not re-entrant from inside a body.
  void for_each(Index count, Index grain, const std::function<void(Index begin, Index end)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Compute {
 public:
  explicit Compute(ThreadPool& pool, std::stop_token stop = {}, std::atomic<float>* progress = nullptr)
      : pool_(pool), stop_(std::move(stop)), progress_(progress) {}

  ThreadPool& pool() { return pool_; }
  // Asked between the pieces of what takes long, which may pause there (pause.h).
  bool cancelled() const {
    pause_if_asked();
    return stop_.stop_requested();
  }
  // 0 to 1.
  void progress(float fraction) {
    if (progress_) progress_->store(fraction, std::memory_order_relaxed);
  }
  // The same operations may be carried out again on other numbers, in another pass: what they cache of their inputs is
  // valid for one pass. Each pass needs its own number.
  std::uint64_t pass() const { return pass_; }
  void begin_pass(std::uint64_t number) { pass_ = number; }
  // for_each() that skips the pieces left once the run is cancelled.
  void parallel(Index count, Index grain, const std::function<void(Index begin, Index end)>& body);
  // The same by each(i), for bodies that share nothing over a piece.
  template <class Each>
  void parallel_each(Index count, Index grain, const Each& each) {
    parallel(count, grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) each(i);
    });
  }

 private:
  ThreadPool& pool_;
  std::stop_token stop_;
  std::atomic<float>* progress_;
  std::uint64_t pass_ = 0;
};

}  // namespace headlight
