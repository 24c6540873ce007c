// What multi_head says of itself, apart from what it computes: variants/multi_head.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/variants/variant.h"

namespace headlight::multi_head_words {

VariantInfo info();
const std::vector<ParamSpec>& params();
ArraySpecs arrays(const ParamValues& params, const IdSet& given);
std::vector<StepWords> steps();
std::span<const Preset> presets();

}  // namespace headlight::multi_head_words
