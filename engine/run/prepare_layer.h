// Problems whose numbers are at hand already: a layer of a state dict, made concrete as an experiment that takes it by
// `weights.from`, and the parts of a network that learns.
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

// A problem of arrays in memory, by their ids, which are not copied. The mechanism need not be registered. Weights that
// are missing are made. The caller asks whether there is room for its steps.
Result<Problem> prepare_arrays(const Variant& variant, const ParamValues& params, const ArrayMap& arrays,
                               std::optional<GradientAsked> gradient = {});

}  // namespace headlight
