// The worked example of docs/adding-a-variant.md. Not registered: the tests hold it to the same checks as the real
// ones.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {
const Variant& distance_variant();
}
