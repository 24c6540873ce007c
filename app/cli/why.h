// headlight heads MODEL --why TOKEN: how much each head's weights count for a logit, and which positions that makes
// relevant.
#pragma once

#include <string>

#include "app/cli/commands.h"

namespace headlight::app {

// `given` is what came by standard input, and empty where the options name a file.
Status explain_logit(const HeadsOptions& options, const std::string& given);

}  // namespace headlight::app
