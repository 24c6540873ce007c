// An experiment's edits in a problem: whether they fit the arrays there are, and the inputs and weights changed by
// them.
//
// Not for what an edit does: that is variants/edits.h, and for steps the recorder's doing.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/variants/variant.h"

namespace headlight {

// Keeps the edits with the problem and carries out those of inputs and weights, on copies. An array that another stands
// in for is changed with it: x_k with x_q. For a problem whose queries are still all there. Errors name the edit, from
// 1, and list the ids there are; edits that are off are not looked at.
Status apply_edits(const std::vector<Edit>& edits, Problem& problem);

// "edit 1: weights, head 3 made uniform", a line for each edit that was carried out.
std::vector<std::string> notes_on_edits(const Trace& trace);

}  // namespace headlight
