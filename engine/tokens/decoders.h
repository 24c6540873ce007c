// The way back: from tokens to the text that they may have come from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"

namespace headlight {

using Decoder = std::function<void(std::vector<std::string>&)>;

// Of "decoder" in tokenizer.json: what it makes of tokens stands side by side; null puts spaces between them, and
// one of another kind leaves them as they are. Errors: fields that are missing or of another type.
Result<Decoder> decoder_of(const Json& part);

}  // namespace headlight
