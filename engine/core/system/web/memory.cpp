// A page's memory is one block that grows up to a limit, and is never given back.
#include "engine/core/system/memory.h"

#include <emscripten/heap.h>
#include <malloc.h>
#include <unistd.h>

namespace headlight {

double free_system_memory(double kept, const std::filesystem::path& /*proc*/, const std::filesystem::path& /*groups*/) {
  const auto most = static_cast<double>(emscripten_get_heap_max());
  const auto taken = static_cast<double>(reinterpret_cast<std::size_t>(sbrk(0)));
  return most - taken + static_cast<double>(mallinfo().fordblks) + kept;
}

void set_trim_thresholds(std::size_t /*large*/, std::size_t /*most_kept*/) {}
void use_huge_pages(void* /*block*/, std::size_t /*bytes*/) {}
void lend_to_system(void* /*block*/, std::size_t /*bytes*/) {}

}  // namespace headlight
