// What scripts are put together from.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "engine/code/script.h"

namespace headlight::script_parts {

using Names = std::set<std::string, std::less<>>;

const std::string& lines_of(const Step& step, Language language);
void add_names(std::string_view lines, Names& names);
// Every name in the lines of the trace.
Names names_of_lines(const Trace& trace, Language language);
// The functions that are called, in an order in which each is defined before it is used.
std::string helper_functions(Language language, Names& names);
// A name as Python has it: "layer3/weights" is layer3_weights there.
std::string in_python(std::string_view id);
// In double quotes, as Python reads it.
std::string in_quotes(std::string_view text);

}  // namespace headlight::script_parts
