// Addresses that carry what is shown: an experiment, packed, or a lesson and its step.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace headlight::app {

struct Model;

inline constexpr std::size_t longest_link = 32768;  // bytes behind the "#": what browsers and mail programs still take

// What stands behind the "#" of such an address: "experiment=…" or "lesson=NAME&step=2", counted from 1. Errors: it
// would be too long.
Result<std::string> link_to(const Model& model);

}  // namespace headlight::app
