// The questions that a row of numbers invites: each is one change to the experiment, offered where it would change
// something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/actions/action.h"

namespace headlight::app {

struct WhatIf {
  std::string id;     // "scale-off"
  std::string label;  // "Scale off"
  Action action;
  std::optional<Edit> edit = {};  // in its place: is made, or taken back where it is there
};

// For the mechanism, the inputs and the result that the model has now; those that are asked most often first.
std::vector<WhatIf> what_ifs(const Model& model);

}  // namespace headlight::app
