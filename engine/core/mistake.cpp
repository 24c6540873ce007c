#include "engine/core/mistake.h"

#include <cstdio>
#include <cstdlib>

namespace headlight {

void end_with_mistake(const std::string& line) {
  std::fprintf(stderr, "headlight: a mistake in the program: %s\n", line.c_str());
  std::abort();
}

}  // namespace headlight
