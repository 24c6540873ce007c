#include "engine/run/kept_model.h"

namespace headlight {

Result<LayerOfStateDict> KeptModel::layer(LayerOfModel number) {
  if (const auto kept = layers_.find(number); kept != layers_.end()) return kept->second;
  HL_TRY(LayerOfStateDict layer, model_.layer(number));
  double bytes = 0;
  for (const auto& [id, values] : layer.arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
  if (bytes <= room_) layers_.emplace(number, layer), room_ -= bytes;
  return layer;
}

}  // namespace headlight
