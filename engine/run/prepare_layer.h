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

// A problem of arrays that are at hand, by their ids, and of a mechanism that need not be listed: what it reads stays
// where it is. Weights that are not among them are made. Of any size: the caller asks whether there is room
// for its steps, which are the most of it.
Result<Problem> prepare_arrays(const Variant& variant, const ParamValues& params, const ArrayMap& arrays,
                               std::optional<GradientAsked> gradient = {});

}  // namespace headlight
