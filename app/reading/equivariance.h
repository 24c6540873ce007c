// Whether the output moved along with its input: the output of a run whose positions were shuffled or shifted, moved
// back, minus the output of the run before.
//
// Not for moving positions: engine/run/arrange.h. Says no more than was measured on these two runs.
#pragma once

#include <optional>
#include <string>

#include "engine/run/arrange.h"

namespace headlight::app {

struct Equivariance {
  Tensor difference;      // the output's shape, at the positions before
  Tensor strongest;       // (rows, columns): of all batches, frames and channels the difference of greatest magnitude
  double greatest = 0;    // magnitude of the greatest difference
  double tolerance = 0;   // rounding: 1e-5 of the greatest output before
  Index off = 0;          // positions where a difference is beyond that
  Index positions = 0;    // of one batch
  std::string words;      // one sentence
  bool compares = false;  // nothing above is meant where the sentence says why not
};

// `before` and `after` are of one shape; `axes` say where its positions lie.
Equivariance equivariance_of(const Tensor& before, const Tensor& after, const PositionAxes& axes,
                             const Arrangement& arrangement);

// The experiment without its arrangement and its view, as text: two runs compare where these are the same.
std::string question_of(const Experiment& experiment);

}  // namespace headlight::app
