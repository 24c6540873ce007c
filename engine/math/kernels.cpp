#include "engine/math/kernels.h"

#include <atomic>
#include <cstdlib>

namespace headlight::math {

namespace baseline {
extern const Kernels table;
}
#ifdef HEADLIGHT_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

const Kernels* kernels_named(std::string_view name) {
#ifdef HEADLIGHT_X86
  if (name == "avx512" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return &avx512::table;
  if (name == "avx2" && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2::table;
#endif
  return name == "baseline" ? &baseline::table : nullptr;
}

namespace {

const Kernels& usual_kernels() {
  if (const char* asked = std::getenv("HEADLIGHT_KERNELS"))
    if (const Kernels* found = kernels_named(asked)) return *found;
  for (const char* name : {"avx512", "avx2"})
    if (const Kernels* found = kernels_named(name)) return *found;
  return baseline::table;
}

std::atomic<const Kernels*>& chosen() {
  static std::atomic<const Kernels*> set = &usual_kernels();
  return set;
}

}  // namespace

const Kernels& kernels() {
  return *chosen().load(std::memory_order_relaxed);
}

void use_kernels(const Kernels& set) {
  chosen().store(&set, std::memory_order_relaxed);
}

}  // namespace headlight::math
