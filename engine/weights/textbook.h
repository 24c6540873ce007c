// Weights made by hand, whose heads do what their names say: for each variant that has some.
//
// Not for weights that are drawn: init.h.
#pragma once

#include "engine/variants/variant.h"

namespace headlight {

// Fills arrays whose fill is Fill::init with weights made by hand, and names the heads; false where there are none for
// such a variant, input or size.
bool fill_textbook(Problem& problem);

// Whether there are any for such a variant, of whatever input and size.
bool has_textbook(const Variant& variant);

}  // namespace headlight
