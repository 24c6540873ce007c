// The edits of an experiment as JSON: read, checked, and written again.
//
// Not for whether they fit a run: run/edits.h knows its arrays.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/json_fields.h"
#include "engine/variants/edits.h"

namespace headlight {

inline constexpr std::size_t most_edits = 4096;

// "edits": a list in order. Errors begin with "edit 1: "; keys that are not known are reported in `notices`.
Result<std::vector<Edit>> parse_edits(const Json& list, std::vector<std::string>& notices);

// One edit alone, as a line of JSON, and back. Errors say what of it is wrong.
std::string line_of(const Edit& edit);
Result<Edit> parse_edit_line(std::string_view line);

// The edits as JSON. One that stood in `old`, on or off, is written as it stood there, unknown keys and all.
Json json_of_edits(const std::vector<Edit>& edits, const Json& old);

}  // namespace headlight
