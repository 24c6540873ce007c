#include "app/cli/commands.h"

#include <cstdio>

namespace headlight::app {

int exit_status(const Status& status) {
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
