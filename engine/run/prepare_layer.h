// A layer of a state dict that is at hand already, made concrete as an experiment that takes it by `weights.from`.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/layouts/layouts.h"
#include "engine/variants/variant.h"

namespace headlight {

// As prepare(), with the numbers of some inputs by their ids; their labels may stand in the experiment.
Result<Problem> prepare_layer(const Experiment& experiment, LayerOfStateDict layer,
                              const std::map<std::string, std::shared_ptr<const Tensor>>& inputs);

}  // namespace headlight
