#include "engine/core/system/process.h"

#include <unistd.h>

#include <csignal>

namespace headlight {

namespace {

// Signal handlers can reach nothing but a global of this type.
volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) {
  interrupted = 1;
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
  std::signal(SIGINT, on_interrupt);
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
