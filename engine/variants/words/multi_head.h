// What multi_head says of itself, apart from what it computes: variants/multi_head.cpp.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/variants/variant.h"

namespace headlight::multi_head_words {

const VariantInfo& info();
const std::vector<ParamSpec>& params();
ArraySpecs arrays(const ParamValues& params, const std::set<std::string, std::less<>>& given);
std::span<const StepWords> steps();
std::span<const Preset> presets();

}  // namespace headlight::multi_head_words
