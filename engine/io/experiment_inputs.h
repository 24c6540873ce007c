// The inputs of an experiment and its embedded files as JSON: read, checked, and written again.
//
// Not for the files that they name: run/inputs.h opens those.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/io/json_fields.h"

namespace headlight {

// One input. `where` begins every error ("inputs.x_q"); keys that are not known are reported in `notices`.
Result<InputSpec> parse_input(const Json& value, const std::string& where, std::vector<std::string>& notices);

// The input as JSON; unknown keys of `old`, which stood there before, stay. Paths that are relative to the folder
// `from` are rewritten to be relative to `to`.
Json json_of_input(const InputSpec& spec, const Json& old, const std::filesystem::path& from,
                   const std::filesystem::path& to);

// The "files" of an experiment: what it reads, in itself, so that one file travels.
//
//   "files": {"cat.png": {"base64": "iVBORw0…"}}
//
// A path in the experiment that is exactly such a name is read from there and not from the disk. Putting files there:
// run/embed.h.
inline constexpr std::uint64_t most_embedded = std::uint64_t{4} << 20;  // bytes of all files together
inline constexpr std::size_t most_embedded_files = 256;

// Takes "files": every path that names one of them leads to it from here on. Errors: a name that is absolute, leaves
// the folder or is not as short as it could be; no base64; over the limits. A file that nothing reads is a notice.
Status read_embedded(const Json& files, Experiment& experiment);

// Of an experiment as JSON that ends in "\n}\n": with the embedded files that it reads.
std::string with_embedded(std::string json, const Experiment& experiment);

}  // namespace headlight
