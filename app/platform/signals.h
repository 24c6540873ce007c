// The signals by which a process is asked to end, taken on a thread of their own, where locks and files are allowed.
#pragma once

#include <functional>
#include <memory>

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
  bool came() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
