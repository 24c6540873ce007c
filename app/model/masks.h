// The rules that can hide keys in the experiment that is open: which there are, which are switched on, what each could
// not be switched by, and whether cells can be painted over them.
//
// Not for what a run's mask comes to: app/reading/masks/mask_layers.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/model/model.h"
#include "app/reading/masks/mask_layers.h"
#include "engine/variants/mask_option.h"

namespace headlight::app {

// What cells that are painted are called as a layer.
inline constexpr std::string_view painted_layer = "painted";

// What was run, where that is of the mechanism that is asked for; else null.
const Problem* problem_of(const Model& model);
// In the order in which reasons are told; none where the mechanism has no mask.
std::vector<const MaskOption*> mask_rules(const Model& model);
// Null where there is none of that id.
const MaskOption* mask_rule(const Model& model, std::string_view id);
// Its arrays under the experiment's parameters.
std::vector<ArraySpec> arrays_of(const MaskOption& option, const Experiment& experiment);
bool is_switched_on(const Model& model, const MaskOption& option);
// Why it cannot be switched: an array of a file holds it. Empty where it can.
std::string why_not_switched(const Model& model, const MaskOption& option);
bool comes_from_file(const Model& model, const std::string& array);

// Why cells cannot be painted; empty where they can.
std::string why_not_paint(const Model& model);
// How many queries there are up to the last that is computed.
Index queries_of_mask(const Model& model);
// Of the batch item and the head that are looked at. There must be a map of most_cells_of_mask at most.
MaskReading mask_of(const Model& model);
// The key that stands where the query of that row does, or the nearest.
Index own_key(const MaskReading& mask, Index row);
// Where documents begin, besides the first.
std::vector<Index> document_starts(const Model& model);

}  // namespace headlight::app
