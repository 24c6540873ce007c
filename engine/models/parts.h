// The parts of a model: its layers, or those of an encoder and of a decoder, whose layers ask twice.
//
// Not for how many layers each has: plan.h.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string_view>

#include "engine/core/tensor.h"

namespace headlight {

// Layers that attend in one way: one grid of layers × heads. Where a model has no decoder, all of it is the first.
enum class ModelPart {
  first,    // the encoder
  decoder,  // the decoder among its own tokens
  cross,    // the decoder's questions to the encoder
};
inline constexpr std::array model_parts{ModelPart::first, ModelPart::decoder, ModelPart::cross};

// "encoder", "decoder" and "cross", as files and commands say them.
constexpr std::string_view name_of(ModelPart part) {
  return part == ModelPart::first ? "encoder" : part == ModelPart::decoder ? "decoder" : "cross";
}
constexpr std::optional<ModelPart> part_named(std::string_view name) {
  for (const ModelPart part : model_parts)
    if (name_of(part) == name) return part;
  return std::nullopt;
}
// Whether it stands in the first stack of a model.
constexpr bool in_first_stack(ModelPart part) {
  return part == ModelPart::first;
}

// Layers are counted from 0 in each part.
struct LayerOfModel {
  Index layer = 0;
  ModelPart part = ModelPart::first;
  auto operator<=>(const LayerOfModel&) const = default;
};

}  // namespace headlight
