// What becomes of a run that was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/trace/trace.h"

namespace headlight {

// One finished run. `error` is empty when there is a trace.
struct Outcome {
  std::uint64_t ticket = 0;  // of the request
  std::shared_ptr<const Experiment> experiment;
  std::shared_ptr<const Problem> problem;  // null when it could not be prepared
  std::shared_ptr<const Trace> trace;
  std::string error;
  Subject error_about;                // an edit or an array that was refused
  std::optional<TooLarge> too_large;  // with an error: it was refused for its size
  double seconds = 0;
};

}  // namespace headlight
