// What may have been meant by an array that does not fit: for the errors of prepare.h.
//
// Not for inputs of another kind: why_not() in inputs.h.
#pragma once

#include <string>
#include <string_view>

#include "engine/variants/variant.h"

namespace headlight {

// "set params.ffn to true", where one parameter alone makes the variant take an array of that name; else the nearest of
// the names that it takes, or all of them.
std::string hint_for_name(std::string_view name, const Variant& variant, const ParamValues& params,
                          const ArraySpecs& specs);

// The nearest of the variant's parameters, or all of them.
std::string hint_for_param(std::string_view id, const Variant& variant);

// " (…)" where an array of that shape is likely to lack an axis: one matrix for all heads, a sequence without a batch;
// else empty.
std::string hint_for_shape(const ArraySpec& spec, const Shape& shape);

}  // namespace headlight
