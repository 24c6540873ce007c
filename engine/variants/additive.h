// Additive attention: a small network, tanh and a weighted sum, scores each pair of query and key.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, appendix A.1.2.
const Variant& additive();

}  // namespace headlight
