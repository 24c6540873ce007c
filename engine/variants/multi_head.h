// Multi-head scaled dot-product attention: self, cross, causal and padded, bare or inside a transformer block.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Vaswani et al. 2017, Attention Is All You Need, section 3.2; Carion et al. 2020, DETR, appendix A.1.
const Variant& multi_head();

}  // namespace headlight
