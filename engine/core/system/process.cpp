#include "engine/core/system/process.h"

#include <unistd.h>

#include <csignal>

namespace headlight {

namespace {

// Signal handlers can reach nothing but a global of this type.
volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);  // whoever asks again does not want to wait
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
  if (std::signal(SIGINT, on_interrupt) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
}

void release_interrupts() {
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
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
