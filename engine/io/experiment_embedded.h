// The "files" of an experiment: what it reads, in itself, so that one file travels.
//
//   "files": {"cat.png": {"base64": "iVBORw0…"}}
//
// A path in the experiment that is exactly such a name is read from there and not from the disk. Not for putting files
// there: run/embed.h.
#pragma once

#include <cstdint>

#include "engine/io/experiment.h"
#include "engine/io/json_fields.h"

namespace headlight {

inline constexpr std::uint64_t most_embedded = std::uint64_t{4} << 20;  // bytes of all files together
inline constexpr std::size_t most_embedded_files = 256;

// Takes "files": every path that names one of them leads to it from here on. Errors: a name that is absolute, leaves
// the folder or is not as short as it could be; no base64; over the limits. A file that nothing reads is a notice.
Status read_embedded(const Json& files, Experiment& experiment);

// Of an experiment as JSON that ends in "\n}\n": with the embedded files that it reads.
std::string with_embedded(std::string json, const Experiment& experiment);

}  // namespace headlight
