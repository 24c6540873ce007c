// What non_local says of its steps, apart from what it computes: variants/non_local.cpp.
#pragma once

#include <span>

#include "engine/variants/words.h"

namespace headlight::non_local_words {

std::span<const StepWords> steps();

}  // namespace headlight::non_local_words
