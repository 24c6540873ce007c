// A text whose tokens are moved, doubled, taken out or put in: the text itself is changed, so that splitting it once
// more gives the tokens that were asked for. What stood before a token goes along with it.
//
// Places are those of tokenize() without a start token. Errors: a place that is not there, or a text that cannot be
// split so ("un" and "even" side by side are two words only with a space between them; a byte of a letter is none).
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/inputs/text.h"

namespace headlight {

// Where token `from` stands at `to` afterwards.
Result<std::string> with_token_moved(std::string_view text, TextSplit split, Index from, Index to);
// Once more, behind itself.
Result<std::string> with_token_doubled(std::string_view text, TextSplit split, Index at);
Result<std::string> without_token(std::string_view text, TextSplit split, Index at);
// `words`, which may be several tokens, before the token at that place; behind the last where it is one past it.
Result<std::string> with_tokens_put(std::string_view text, TextSplit split, Index at, std::string_view words);

}  // namespace headlight
