// One query in place of all of them: its row alone is computed, so that memory grows with the keys and not with their
// square.
//
// Not for which variants can do so: those that declare the parameter only_query (variants/declarations.h).
#pragma once

#include <optional>

#include "engine/base/result.h"
#include "engine/variants/variant.h"

namespace headlight {

bool can_keep_one_query(const Variant& variant);

// The query in the middle of the grid that the queries lie on, or of their sequence. For a problem whose n_q is bound.
Index middle_query(const Problem& problem);

// The query asked for, if the parameters ask for one.
std::optional<Index> asked_query(const Variant& variant, const ParamValues& params);

// What the run will take with as many queries as are asked for.
Cost cost_of_asked_queries(const Problem& problem);

// Leaves the queries that are not asked for out of the problem: n_q becomes 1, and every input whose shape names n_q is
// cut to that row. Arrays that keys and values are made from stay whole. For a problem that is complete otherwise:
// weights made by hand and arrangements look at all positions. Errors: a query that there is none of.
Status keep_only_query(Problem& problem);

}  // namespace headlight
