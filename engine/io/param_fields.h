// Parameters as JSON: of a mechanism, of a task to be learned, of an optimizer.
#pragma once

#include <string>
#include <vector>

#include "engine/io/json_fields.h"
#include "engine/params/params.h"

namespace headlight {

// Sets what the object gives. Errors name the field and what is allowed: "params.heads is 0: it must be …"; `of` says
// what the names are: "a parameter of multi_head".
Status read_params(const Json& object, const std::string& where, const std::string& of,
                   const std::vector<ParamSpec>& specs, ParamValues& into);
// A single one, of any name.
Result<ParamValue> param_value(const Json& value);

Json json_of(const ParamValue& value);

// "did you mean …?", or all that there are.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace headlight
