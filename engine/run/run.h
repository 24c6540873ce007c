// Runs a prepared problem and returns its trace.
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight {

// A cancelled run is the error "cancelled".
Result<std::shared_ptr<const Trace>> run(const Problem& problem, Compute& compute);

}  // namespace headlight
