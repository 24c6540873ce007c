// Known layers as parameters: what people know by a model's name, named on their own input.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/params/params.h"

namespace headlight {

// A list of parameters and nothing else: how many heads there are, and how wide, stays as it is.
struct Preset {
  std::string id;      // "llama_3"
  std::string title;   // "Llama 3"
  std::string source;  // paper, or where the layer is described
  std::vector<std::pair<std::string, ParamValue>> params;
  Index queries_per_key_head = 0;  // kv_heads is heads divided by it, where that leaves nothing over; 0: left alone
};

// The values with what the preset sets; what other presets set and it does not goes back to its default.
ParamValues with_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all, const Preset& preset,
                        ParamValues values);

// The first preset that would change nothing, or null.
const Preset* matching_preset(const std::vector<ParamSpec>& specs, std::span<const Preset> all,
                              const ParamValues& values);

// "Rotary: half; Mask: causal; Feed-forward": what it sets, as the window calls it.
std::string preset_titles(const std::vector<ParamSpec>& specs, const Preset& preset);

// "rotary half, mask causal, ffn": what it sets, as experiment files call it. A flag that is on is its name alone.
std::string in_words(const Preset& preset);

}  // namespace headlight
