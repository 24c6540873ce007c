// The maps of one part of a model that was run: all on hand, every head measured.
//
// Not for running it: network_run.h.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/measures/head_measures.h"
#include "engine/models/parts.h"
#include "engine/trace/trace.h"

namespace headlight::app {

// Immutable once a run is made.
struct PartRun {
  ModelPart part = ModelPart::first;
  std::vector<std::string> query_words, key_words;  // what positions are called
  // Of each layer (B, M, n_q, n_k): −∞ where the key is hidden.
  std::vector<std::shared_ptr<const Tensor>> maps;
  std::vector<Step> mean_maps;            // of each layer (B, 1, n_q, n_k), over its heads; none of long texts
  std::shared_ptr<const Tensor> means;    // of the first item (L, n_q, n_k), −∞ where hidden; null of long texts
  std::shared_ptr<const Tensor> rollout;  // the same, of the first stack alone
  std::vector<HeadMeasures> measures;     // of each layer
  std::vector<float> stream_sizes;        // of each stop of its stack, what comes in, the greatest being 1
  std::shared_ptr<const Tensor> norm_gain, norm_shift;  // γ and β (d) of the norm after its stack; null: there is none

  Index layers() const { return static_cast<Index>(maps.size()); }
  Index queries() const { return maps.front()->dim(2); }
  Index keys() const { return maps.front()->dim(3); }
  // Whether a query sees no later key: tokens are foretold from those before.
  bool hides_later() const;
  // Of a head: NaN where it has none.
  double measure(Measure measure, Index layer, Index head) const;
  // Of all heads the middle one; NaN where none has a number.
  double middle(Measure measure) const;
};

// The run of one more layer is there, whose map that is; `special` are the keys that stand for no text.
void add_layer(PartRun& part, const Trace& trace, const Step& map, const std::vector<Index>& special, Compute& compute);
// What `part` has of its first layers, as many.
void take_layers(PartRun& part, const PartRun& from, Index layers);
// Of all layers, once they are there: means and rollout.
void mix_layers(PartRun& part, Compute& compute);

}  // namespace headlight::app
