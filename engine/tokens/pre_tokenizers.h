// The second part of a tokenizer: it parts characters into words, of which the model makes tokens one by one.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/signs.h"

namespace headlight {

struct Words {
  Signs signs;
  std::vector<std::pair<std::size_t, std::size_t>> words;  // of signs, begin and end, in order; none is empty
  bool at_start = false;                                   // the first of them begins the text
};
using PreTokenizer = std::function<void(Words&)>;

// Of "pre_tokenizer" in tokenizer.json; null leaves one word. Errors: a kind or a pattern that is not read, by name.
Result<PreTokenizer> pre_tokenizer_of(const Json& part);

// Whether bytes are written as letters anywhere in it.
bool is_byte_level(const Json& part);

}  // namespace headlight
