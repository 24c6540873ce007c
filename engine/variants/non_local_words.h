// What non_local says of its steps, apart from what it computes: variants/non_local.cpp.
#pragma once

#include <vector>

#include "engine/variants/words.h"

namespace headlight::non_local_words {

std::vector<StepWords> steps();

}  // namespace headlight::non_local_words
