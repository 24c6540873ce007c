// A mechanism without heads, parameters and weights, for tests: every query looks at every key alike.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {
const Variant& average_variant();
}
