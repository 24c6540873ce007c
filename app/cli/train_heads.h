// What headlight train does with single heads of a network.
#pragma once

#include "app/cli/commands.h"
#include "engine/learn/training.h"

namespace headlight::app {

// Switches heads off and on and draws them anew where the training stands, as the options say.
Status change_heads(const TrainOptions& options, learn::Training& training);
// What the network of a folder comes to without each head, and without ever more of them.
Status print_importance(const TrainOptions& options);

}  // namespace headlight::app
