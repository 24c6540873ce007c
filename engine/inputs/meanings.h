// Words that are said to mean the same: they get the numbers of one of them, so that a translation can be aligned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/meanings.h"

namespace headlight {

// Reads "die = the, Katze = cat": pairs, or more that are equal, parted by commas, semicolons or ends of lines.
// `unread` gets each part that is not of that kind, as it was written.
Meanings read_meanings(std::string_view list, std::vector<std::string>& unread);

// The word whose numbers it has, folded: its own, if nothing was said.
std::string meaning_of(std::string_view word, const Meanings& meanings);

}  // namespace headlight
