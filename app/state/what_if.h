// The questions that a row of numbers invites: each is one change to the experiment, offered where it would change
// something.
#pragma once

#include <string>
#include <vector>

#include "app/state/action.h"

namespace headlight::app {

struct WhatIf {
  std::string label;  // "Scale off"
  Action action;
};

// For the mechanism and the inputs that the model has now; at most five.
std::vector<WhatIf> what_ifs(const Model& model);

}  // namespace headlight::app
