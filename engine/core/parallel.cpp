#include "engine/core/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace headlight {

namespace {

// Spins for what mostly comes sooner than the system would wake a thread.
template <class Condition>
void wait_a_little(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (!condition() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable start;
  std::condition_variable finish;
  const std::function<void(Index, Index)>* body = nullptr;
  Index count = 0;
  Index grain = 1;
  std::atomic<Index> next{0};
  std::atomic<std::uint64_t> round{0};
  std::atomic<int> busy{0};  // threads that have joined in the round
  bool open = false;         // a thread can still join: where the system wakes one late, nobody waits for it
  bool closing = false;
  std::vector<std::thread> threads;
  std::mutex caller;          // one for_each at a time
  std::exception_ptr thrown;  // by a body: out of memory. The caller of for_each gets it

  void work() {
    try {
      for (Index begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
        (*body)(begin, std::min(begin + grain, count));
    } catch (...) {
      next = count;  // no piece is begun any more
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      lock.unlock();
      wait_a_little([&] { return round != seen; });
      lock.lock();
      start.wait(lock, [&] { return closing || round != seen; });
      if (closing) return;
      seen = round;
      if (!open) continue;
      ++busy;
      lock.unlock();
      work();
      lock.lock();
      if (--busy == 0) finish.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = std::max(1U, std::thread::hardware_concurrency());
  try {
    for (int i = 1; i < threads; ++i) state_->threads.emplace_back([this] { state_->serve(); });
  } catch (const std::exception&) {
    // The system has no room for more: those that there are do the work.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closing = true;
  }
  state_->start.notify_all();
  for (auto& thread : state_->threads) thread.join();
}

int ThreadPool::size() const {
  return static_cast<int>(state_->threads.size()) + 1;
}

void ThreadPool::for_each(Index count, Index grain, const std::function<void(Index, Index)>& body) {
  if (count <= 0) return;
  grain = std::max<Index>(1, grain);
  if (state_->threads.empty() || count <= grain) {
    for (Index begin = 0; begin < count; begin += grain) body(begin, std::min(begin + grain, count));
    return;
  }
  const std::scoped_lock one_caller(state_->caller);
  {
    const std::scoped_lock lock(state_->mutex);
    state_->body = &body;
    state_->count = count;
    state_->grain = grain;
    state_->next = 0;
    state_->open = true;
    ++state_->round;
  }
  state_->start.notify_all();
  state_->work();
  {
    const std::scoped_lock lock(state_->mutex);
    state_->open = false;
  }
  wait_a_little([&] { return state_->busy == 0; });
  std::unique_lock lock(state_->mutex);
  state_->finish.wait(lock, [&] { return state_->busy == 0; });
  if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

void Compute::parallel(Index count, Index grain, const std::function<void(Index, Index)>& body) {
  pool_.for_each(count, grain, [&](Index begin, Index end) {
    if (!cancelled()) body(begin, end);
  });
}

}  // namespace headlight
