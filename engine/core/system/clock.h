// The time of day where the computer stands.
#pragma once

#include <ctime>

namespace headlight {

std::tm local_time(std::time_t seconds);

}  // namespace headlight
