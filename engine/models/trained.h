// A network that was trained here, as a model: layers of multi_head whose arrays stand in its file by the ids of the
// mechanism, "layer0/w_q", with a table of symbols before them and a read-out after them (learn/stack.h).
#pragma once

#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/layouts/layouts.h"
#include "engine/models/plan.h"

namespace headlight {

// Whether a plan is of such a network.
bool is_trained(const ModelPlan& plan);

// The same arrays, those that stand round the layers by the names that ModelEnds reads them by.
std::unique_ptr<ArraySource> with_names_of_ends(std::unique_ptr<ArraySource> source);

// A layer with all that the config says of it. Errors: an array that its parameters ask for and that is not there, one
// that they do not ask for.
Result<LayerOfStateDict> trained_layer(const ArraySource& source, const ModelPlan& plan, Index number,
                                       const std::string& file, LayerNumbers numbers);

}  // namespace headlight
