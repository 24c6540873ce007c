// The runs that a figure reads beside the one that it is of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/io/experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct Companion {
  std::shared_ptr<const Experiment> experiment;  // null where its file could not be read
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;  // null until it has run, and with an error
  std::string error;
  std::uint64_t ticket = 0;  // another for another run
};

// By the paths of companions_of() (figure_request.h).
using Companions = std::map<std::string, Companion>;

}  // namespace headlight::app
