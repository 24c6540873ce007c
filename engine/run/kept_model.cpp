#include "engine/run/kept_model.h"

namespace headlight {

Result<LayerOfStateDict> KeptModel::layer(LayerOfModel number) {
  if (const auto kept = layers_.find(number); kept != layers_.end()) return kept->second;
  HL_TRY(LayerOfStateDict layer, model_.layer(number));
  double bytes = 0;
  for (const auto& [id, values] : layer.arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
  if (bytes > room_) return layer;
  room_ -= bytes;
  for (const auto& [id, values] : layer.arrays) extents_[values.get()];
  layers_.emplace(number, layer);
  return layer;
}

const std::vector<Extent>* KeptModel::extents_of(const Tensor& values) const {
  const auto found = extents_.find(&values);
  return found == extents_.end() || found->second.empty() ? nullptr : &found->second;
}

void KeptModel::learn_extents(const Trace& trace) {
  for (const Step& source : trace.sources)
    if (const auto found = extents_.find(source.values.get()); found != extents_.end()) found->second = source.extents;
}

}  // namespace headlight
