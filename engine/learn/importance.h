// Which heads of a network that has learned matter: what it comes to without each of them, and without ever more of
// them. Michel et al. 2019, Are Sixteen Heads Really Better than One?, sections 3 and 4.
#pragma once

#include <vector>

#include "engine/learn/training.h"

namespace headlight::learn {

struct WithoutHead {
  TrainedHead head;
  Figures figures;  // on examples that nobody learns from
};

struct HeadImportance {
  Figures whole;                    // as it stands
  std::vector<WithoutHead> alone;   // without each one of those that are on: whose loss is largest first
  std::vector<WithoutHead> pruned;  // off one after the other, always the one without which the loss is least
};

// `prunes`: else none are. Nothing is learned, and nothing of the training changes. Errors: none of its heads can be
// switched off; no room; cancelled.
Result<HeadImportance> importance_of(Training& training, bool prunes, Compute& compute);

}  // namespace headlight::learn
