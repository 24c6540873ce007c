#include "app/platform/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

namespace headlight::app {

namespace {

constexpr int shell_base = 128;  // a process that a signal ended counts as 128 and its number

sigset_t end_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int which : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, which);
  return set;
}

}  // namespace

struct EndSignals::State {
  sigset_t before{};
  std::mutex mutex;
  std::function<void()> call;
  std::atomic<bool> came = false, stopping = false;
  std::thread watcher;

  void watch() {
    const sigset_t set = end_signals();
    while (true) {
      int which = 0;
      if (sigwait(&set, &which) != 0) continue;
      if (stopping) return;
      const std::scoped_lock lock(mutex);
      if (!call || came) ::_exit(shell_base + which);
      came = true;
      call();
    }
  }
};

EndSignals::EndSignals() : state_(std::make_unique<State>()) {
  const sigset_t set = end_signals();
  pthread_sigmask(SIG_BLOCK, &set, &state_->before);
  state_->watcher = std::thread([state = state_.get()] { state->watch(); });
}

EndSignals::~EndSignals() {
  stop();
  state_->stopping = true;
  pthread_kill(state_->watcher.native_handle(), SIGTERM);
  state_->watcher.join();
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

void EndSignals::on_signal(std::function<void()> call) {
  const std::scoped_lock lock(state_->mutex);
  state_->call = std::move(call);
}

void EndSignals::stop() {
  on_signal({});
}

bool EndSignals::came() const {
  return state_->came;
}

}  // namespace headlight::app
