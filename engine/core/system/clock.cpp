#include "engine/core/system/clock.h"

namespace headlight {

std::tm local_time(std::time_t seconds) {
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return parts;
}

}  // namespace headlight
