// Words that are said to mean the same, and have the numbers of one of them.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace headlight {

// Each word, folded (inputs/text.h), → the word whose numbers it has.
using Meanings = std::map<std::string, std::string, std::less<>>;

}  // namespace headlight
