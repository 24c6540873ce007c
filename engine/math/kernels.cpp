#include "engine/math/kernels.h"

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

const Kernels& kernels() {
  static const Kernels& chosen = []() -> const Kernels& {
    if (const char* asked = std::getenv("HEADLIGHT_KERNELS"))
      if (const Kernels* found = kernels_named(asked)) return *found;
    for (const char* name : {"avx512", "avx2"})
      if (const Kernels* found = kernels_named(name)) return *found;
    return baseline::table;
  }();
  return chosen;
}

}  // namespace headlight::math
