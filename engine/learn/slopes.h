// Why a training moves an attention map: by how much the loss of one example grows with each of its weights and scores.
//
// L is summed over all that is asked of the example. Of a softmax over scores s, with g = ∂L/∂weight,
// ∂L/∂s_ij = α_ij (g_ij − Σ_t α_it g_it): the slopes of a row add up to 0.
#pragma once

#include <memory>
#include <vector>

#include "engine/learn/network.h"
#include "engine/learn/task.h"

namespace headlight::learn {

struct Slopes {
  // Of one map, each (M, n_q, n_k), −∞ where a key is hidden.
  struct OfMap {
    std::shared_ptr<const Tensor> weights;  // ∂L/∂weight
    std::shared_ptr<const Tensor> scores;   // ∂L/∂score; null where weights are no softmax of scores
  };
  double loss = 0;          // L, in nats or squares
  std::vector<OfMap> maps;  // in the order of the task's
};

// The map of the first example of a part's batch (M, n_q, n_k), −∞ where a key is hidden; null: it has none.
std::shared_ptr<const Tensor> map_of_first(const Trace& trace);

// `network`: one that learns, on a batch of that example alone. It goes forward and backward.
Slopes slopes_of(Network& network, const std::vector<ShownMap>& maps, Compute& compute);

}  // namespace headlight::learn
