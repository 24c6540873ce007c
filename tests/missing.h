// Where this machine lacks what a test case needs.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/catch.h"

namespace headlight::test {

// Says what is left out; a failure where every test must run (HEADLIGHT_EVERY_TEST), as in continuous integration.
inline void left_out(const std::string& why) {
  if (std::getenv("HEADLIGHT_EVERY_TEST")) FAIL_CHECK("left out: " << why);
  WARN("left out: " << why);
}

}  // namespace headlight::test
