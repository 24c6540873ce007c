// The maps of the layers of a run, and what is made of them: measures of heads, means over heads, attention rollout.
//
// Not for running the layers: run/model_run.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/measures/head_measures.h"
#include "engine/measures/parts.h"
#include "engine/trace/trace.h"

namespace headlight {

// The layers of one part of a model, or of a result that has several. Immutable once a run is made.
struct PartRun {
  ModelPart part = ModelPart::first;
  std::vector<std::string> query_words, key_words;  // what positions are called
  Index n_q = 0, n_k = 0;                           // the most that a layer has
  // Whether layers are of several sizes. Then each has words of its own, and what its map says of itself; nothing is
  // made of them together.
  bool staged = false;
  std::vector<StepInfo> infos;
  // Of each layer (B, M, n_q, n_k): −∞ where the key is hidden. Null of a layer whose map is made when it is looked at.
  std::vector<std::shared_ptr<const Tensor>> maps;
  // (B, M, rows, columns) of at most `small_side`, max-pooled, −∞ where a whole block of cells is hidden; null where
  // `maps` is not.
  std::vector<std::shared_ptr<const Tensor>> small;
  // (B, 1, n_q, n_k), the map of its first head, for its hidden keys; null where `maps` is not, and of long texts.
  std::vector<std::shared_ptr<const Tensor>> first_heads;
  std::vector<Step> mean_maps;            // of each layer (B, 1, n_q, n_k), over its heads; none of long texts
  std::shared_ptr<const Tensor> means;    // of that item (L, n_q, n_k), −∞ where hidden; null of long texts
  std::shared_ptr<const Tensor> rollout;  // the same, of the first stack alone
  std::vector<std::vector<HeadMeasures>> measures;  // of each layer its items, or the one item
  // Between which numbers the maps lie: of each layer its items, and of that item the means and the rollout.
  std::vector<std::vector<Extent>> extents;
  Extent means_extent, rollout_extent;
  Kind kind = Kind::probability;    // of the maps
  std::vector<float> stream_sizes;  // of each stop of its stack, what comes in, the greatest being 1
  std::shared_ptr<const Tensor> norm_gain, norm_shift;  // γ and β (d) of the norm after its stack; null: there is none

  Index item = 0;  // of the batch: which is looked at, and of which means and rollout are

  Index layers() const { return static_cast<Index>(maps.size()); }
  Index queries() const { return n_q; }
  Index keys() const { return n_k; }
  // Of that item.
  const HeadMeasures& measures_of(Index layer) const;
  Index heads_of(Index layer) const { return measures_of(layer).heads; }
  Index heads() const;  // of all layers
  Index queries_of(Index layer) const;
  Index keys_of(Index layer) const;
  const std::vector<std::string>& query_words_of(Index layer) const;
  const std::vector<std::string>& key_words_of(Index layer) const;
  // The query of another layer that lies on the same part of the picture.
  Index matching_query(Index query, Index layer, Index other) const;
  bool has_all_maps() const;
  // Whether a query sees no later key: tokens are foretold from those before.
  bool is_causal() const { return causal; }
  bool causal = false;
  // Of all layers, of that item.
  Extent extent() const;
  // Of a head: NaN where it has none.
  double measure(Measure measure, Index layer, Index head) const;
  // Of all heads the middle one; NaN where none has a number.
  double median(Measure measure) const;
};

inline constexpr Index small_side = 64;  // cells

// The mean over the heads of maps (…, M, n_q, n_k) → (…, 1, n_q, n_k): a hidden key (−∞) counts as 0, and stays hidden
// where no head sees it.
Tensor mean_over_heads(const Tensor& maps);

// Adds one more layer. `shown` is its map with −∞ where the key is hidden, which is kept or made small; `special` are
// the keys that stand for no text. Measures are of each item of the batch, or of one.
void add_layer(PartRun& part, const Step& map, std::shared_ptr<const Tensor> shown, bool keep,
               const std::vector<Index>& special, Compute& compute, std::optional<Index> item = {});
// Copies the first layers of another run.
void copy_layers(PartRun& part, const PartRun& from, Index layers);
// Makes means and rollout of an item of the batch, once all layers are there.
void mix_layers(PartRun& part, Index item, Compute& compute);

}  // namespace headlight
