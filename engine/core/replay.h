// What a run computed, kept so that it can be computed again where it stands: learning changes the numbers that were
// read, in place, and carries the same operations out step after step.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/core/parallel.h"

namespace headlight {

class Replay {
 public:
  using Computation = std::function<void(Compute&)>;

  void add(Computation computation) { computations_.push_back(std::move(computation)); }
  // Writes every number anew, in the order of the run. The trace of that run must still be there.
  void run(Compute& compute) const {
    for (const Computation& computation : computations_)
      if (!compute.cancelled()) computation(compute);
  }

 private:
  std::vector<Computation> computations_;
};

}  // namespace headlight
