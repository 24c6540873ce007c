#include "engine/core/system/process.h"

#include <unistd.h>

#include <csignal>

namespace headlight {

namespace {

// Signal handlers can reach nothing but a global of this type.
volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int which) {
  interrupted = 1;
  std::signal(which, SIG_DFL);  // whoever asks again does not want to wait
}

// A signal that was ignored before stays ignored.
void answer(int which, void (*how)(int)) {
  if (std::signal(which, how) == SIG_IGN) std::signal(which, SIG_IGN);
}

}  // namespace

int process_number() {
  return ::getpid();
}

bool standard_output_is_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

bool standard_error_is_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

void catch_interrupts() {
  for (const int which : {SIGINT, SIGTERM}) answer(which, on_interrupt);
}

void release_interrupts() {
  for (const int which : {SIGINT, SIGTERM}) answer(which, SIG_DFL);
}

bool was_interrupted() {
  return interrupted != 0;
}

void survive_full_files() {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
}

}  // namespace headlight
