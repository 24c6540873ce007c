// Tokens that stand for no text: those that fill up the shorter texts of a batch, and those that begin, end or part
// them.
//
// Not for one name of padding: text.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// Which tokens are padding: by their names; and of a run of end tokens before or after the text all but the one next to
// it, which may be its own.
std::vector<bool> padding_among(const std::vector<std::string>& tokens);
// Padding, and tokens such as "[CLS]" and "</s>".
bool stands_for_no_text(std::string_view token);

}  // namespace headlight
