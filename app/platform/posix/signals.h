// The signals by which a process is asked to end, taken on a thread of their own, where locks and files are allowed.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight::app {

// While it lives, SIGTERM, SIGINT and SIGHUP end nothing by themselves. Made before any other thread: threads that run
// already are still ended by them.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Called on the thread of signals, once; a second signal ends the process. Before it is set, so does the first.
  void on_signal(std::function<void()> call);
  // None is called after this.
  void stop();
  bool came() const { return came_; }

 private:
  void watch();

  sigset_t before_{};
  std::mutex mutex_;
  std::function<void()> call_;
  std::atomic<bool> came_ = false, stopping_ = false;
  std::thread watcher_;
};

}  // namespace headlight::app
