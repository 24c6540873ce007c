// The parts of a model: its layers, those of an encoder and of a decoder, whose layers ask twice, or those of a text
// beside those of a picture.
//
// Not for how many layers each has: plan.h.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string_view>

#include "engine/core/tensor.h"

namespace headlight {

// Layers that attend in one way: one grid of layers × heads. Where a model has one stack, all of it is the first.
enum class ModelPart {
  first,    // the encoder
  decoder,  // the decoder among its own tokens
  cross,    // the decoder's questions to the encoder
  text,     // of a model of two towers
  vision,
};
inline constexpr std::array model_parts{ModelPart::first, ModelPart::decoder, ModelPart::cross, ModelPart::text,
                                        ModelPart::vision};

// As files and commands say them.
constexpr std::string_view name_of(ModelPart part) {
  constexpr std::array<std::string_view, model_parts.size()> names{"encoder", "decoder", "cross", "text", "vision"};
  return names[static_cast<std::size_t>(part)];
}
constexpr std::optional<ModelPart> part_named(std::string_view name) {
  for (const ModelPart part : model_parts)
    if (name_of(part) == name) return part;
  return std::nullopt;
}
// Whether it stands in the first stack of a model, or of a tower.
constexpr bool in_first_stack(ModelPart part) {
  return part != ModelPart::decoder && part != ModelPart::cross;
}

// Layers are counted from 0 in each part.
struct LayerOfModel {
  Index layer = 0;
  ModelPart part = ModelPart::first;
  auto operator<=>(const LayerOfModel&) const = default;
};

}  // namespace headlight
