// What each head hands on, asked by role: the step that takes values by a run's map, how much of the output each head
// writes there, and what becomes of the run's output when a head is switched off.
//
// Not for running anything: a run with a head off is an experiment with one more edit, for whoever has a queue.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/trace/trace.h"
#include "engine/variants/edits.h"

namespace headlight {

// The first step that reads one of the run's maps and has no keys of its own: a weighted sum of values for each query,
// (B, M, n_q, d'), with all that is added to it from the map. Null where the run has no map, or nothing of the kind.
const Step* head_outputs(const Trace& trace);

// Heads of a step; 1 where it has no such axis.
Index head_count(const Step& step);

// The edit that sets all that a head hands on to 0; nothing without head_outputs(). The head must be one there is.
std::optional<Edit> edit_switching_off(const Trace& trace, Index head);

// ‖before − after‖ / ‖before‖, Euclidean over all numbers of two arrays of one shape; NaN where `before` is 0
// throughout. Of a run's output with a head switched off: what the output loses with the head (after Michel, Levy and
// Neubig 2019, Are Sixteen Heads Really Better than One?, section 3.2, who ask a model's score instead).
double relative_change(const Tensor& before, const Tensor& after);

// For each head: the share of the output's norm that it writes, in [0, 1]. With c_m,i what head m adds for query i, the
// mean over batch and queries of ‖c_m,i‖ / Σ_m ‖c_m,i‖; queries for which nothing is added are left out, and without
// any other it is NaN. c_m,i is o_m,i W_m: the head's own output through its rows of the output projection, without the
// bias, which is no head's; o_m,i itself where no step of weights mixes the heads. Norms of what is added rather than
// weights: after Kobayashi et al. 2020, Attention is Not Only a Weight, section 3.
//
// What of the run all items of the batch have in common is looked up once. The trace must stay as long.
class OutputShares {
 public:
  explicit OutputShares(const Trace& trace);
  ~OutputShares();
  // Whether there is head_outputs().
  bool are_known() const { return parts_ != nullptr; }
  // Of all items of the batch together, or of one. Empty without head_outputs(); unfinished once the computation is
  // cancelled.
  std::vector<double> of(std::optional<Index> item, Compute& compute) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace headlight
