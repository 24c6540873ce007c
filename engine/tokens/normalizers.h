// The first part of a tokenizer: what it makes of characters before it looks for words.
#pragma once

#include <functional>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/signs.h"

namespace headlight {

// Errors: more than most_signs come out.
using Normalizer = std::function<Status(Signs&)>;

// Of "normalizer" in tokenizer.json; null does nothing. Errors: a kind that is not read, by its name.
Result<Normalizer> normalizer_of(const Json& part);

}  // namespace headlight
