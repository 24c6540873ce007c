// The way back: from tokens to the text that they may have come from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"

namespace headlight {

using Decoder = std::function<void(std::vector<std::string>&)>;

// Of "decoder" in tokenizer.json: what it makes of tokens stands side by side; null puts spaces between them. Errors: a
// kind that is not read, by its name.
Result<Decoder> decoder_of(const Json& part);

}  // namespace headlight
