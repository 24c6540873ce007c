#include "engine/run/kept_model.h"

namespace headlight {

Result<LayerOfStateDict> KeptModel::layer(Index number) {
  auto& kept = layers_.at(static_cast<std::size_t>(number));
  if (kept) return *kept;
  HL_TRY(LayerOfStateDict layer, model_.layer(number));
  double bytes = 0;
  for (const auto& [id, values] : layer.arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
  if (bytes <= room_) kept = layer, room_ -= bytes;
  return layer;
}

}  // namespace headlight
