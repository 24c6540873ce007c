// Attention whose scores depend on the key alone: what a query asks is the same vector for all of them.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Zhu et al. 2019, An Empirical Study of Spatial Attention Mechanisms in Deep Networks, section 3: the term "key
// content only" of generalised attention.
const Variant& key_content_only();

}  // namespace headlight
