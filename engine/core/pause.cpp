#include "engine/core/pause.h"

#include <atomic>

namespace headlight {

namespace {

std::atomic<void (*)()> pause_set = nullptr;

}  // namespace

void set_pause(void (*pause)()) {
  pause_set = pause;
}

void pause_if_asked() {
  if (void (*pause)() = pause_set.load(std::memory_order_relaxed)) pause();
}

}  // namespace headlight
