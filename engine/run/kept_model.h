// What runs of one model keep from one to the next: arrays as they were read and laid out, as far as they may.
//
// For one thread at a time.
#pragma once

#include <map>
#include <vector>

#include "engine/core/result.h"
#include "engine/layouts/layouts.h"
#include "engine/models/ends.h"
#include "engine/trace/trace.h"
#include "engine/variants/edits.h"

namespace headlight {

class KeptModel {
 public:
  // Of layers, arrays of at most so many bytes; 0: they are read for each run. The model must outlive it.
  explicit KeptModel(const Model& model, double most_bytes = 0) : ends(model), model_(model), room_(most_bytes) {}

  // As Model::layer(); its arrays are shared.
  Result<LayerOfStateDict> layer(LayerOfModel number);

  // What an array that is kept spans, where a run has found it; null where not.
  const std::vector<Extent>* extents_of(const Tensor& values) const;
  // Remembers that of what the run of a layer found.
  void learn_extents(const Trace& trace);

  ModelEnds ends;
  std::vector<Edit> switching_off;  // a head each, the same in every layer; learned from the first run

 private:
  const Model& model_;
  std::map<LayerOfModel, LayerOfStateDict> layers_;
  std::map<const Tensor*, std::vector<Extent>> extents_;  // of each array of these layers
  double room_;                                           // bytes
};

}  // namespace headlight
