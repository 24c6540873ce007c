#include "app/platform/posix/signals.h"

#include <pthread.h>
#include <unistd.h>

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

void EndSignals::watch() {
  const sigset_t set = end_signals();
  while (true) {
    int which = 0;
    if (sigwait(&set, &which) != 0) continue;
    if (stopping_) return;
    const std::scoped_lock lock(mutex_);
    if (!call_ || came_) ::_exit(shell_base + which);
    came_ = true;
    call_();
  }
}

EndSignals::EndSignals() {
  const sigset_t set = end_signals();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  watcher_ = std::thread([this] { watch(); });
}

EndSignals::~EndSignals() {
  stop();
  stopping_ = true;
  pthread_kill(watcher_.native_handle(), SIGTERM);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndSignals::on_signal(std::function<void()> call) {
  const std::scoped_lock lock(mutex_);
  call_ = std::move(call);
}

void EndSignals::stop() {
  on_signal({});
}

}  // namespace headlight::app
