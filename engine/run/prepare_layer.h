// A layer of a state dict that is at hand already, made concrete as an experiment that takes it by `weights.from`.
#pragma once

#include <memory>

#include "engine/core/result.h"
#include "engine/io/experiment.h"
#include "engine/layouts/layouts.h"
#include "engine/variants/variant.h"

namespace headlight {

// As prepare(), with the numbers of the first input; its labels may stand in the experiment.
Result<Problem> prepare_layer(const Experiment& experiment, LayerOfStateDict layer, std::shared_ptr<const Tensor> x);

}  // namespace headlight
