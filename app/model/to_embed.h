// What would go into a file that is saved with its inputs, while the dialog asks where.
#pragma once

#include <string>
#include <vector>

#include "engine/run/embed.h"

namespace headlight::app {

struct InputsToEmbed {
  std::vector<ToEmbed> files;
  std::string error;  // why they cannot go into it
};

}  // namespace headlight::app
