// The inputs of an experiment as JSON: read, checked, and written again.
//
// Not for the files that they name: run/inputs.h opens those.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/experiment.h"
#include "engine/io/json_fields.h"

namespace headlight {

// One input. `where` begins every error ("inputs.x_q"); keys that are not known are reported in `notices`.
Result<InputSpec> input_in(const Json& value, const std::string& where, std::vector<std::string>& notices);

// The input as JSON; unknown keys of `old`, which stood there before, stay. Paths that are relative to the folder
// `from` are rewritten to be relative to `to`.
Json json_of_input(const InputSpec& spec, const Json& old, const std::filesystem::path& from,
                   const std::filesystem::path& to);

}  // namespace headlight
