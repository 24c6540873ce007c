// A mechanism without a map, for tests alone: linear attention without a normaliser. What queries would weigh is summed
// up first, so that no weight of a key for a query is ever there. None of its names is another variant's.
#pragma once

#include "engine/variants/variant.h"

namespace headlight::test {
const Variant& mapless_variant();
}
