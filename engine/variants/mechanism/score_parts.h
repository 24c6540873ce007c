// What a scaled score is the sum of, where places have a part of it besides the content.
#pragma once

#include <vector>

#include "engine/trace/trace.h"

namespace headlight::mechanism {

struct ScoreParts {
  std::vector<const Step*> scaled;  // (1|B, M, n_q, n_k): added up before the scale
  const Step* added = nullptr;      // after it; null: nothing
  const Step* sum = nullptr;        // what they come to
};
// Empty where scores are of the content alone.
ScoreParts score_parts(const Trace& trace);

}  // namespace headlight::mechanism
