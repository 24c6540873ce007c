// One's own names for the arrays of a layer: which array of a file each array of the mechanism is, and how it is held.
//
// Not for layouts that are known: layouts/.
#pragma once

#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/json_fields.h"

namespace headlight {

struct OwnName {
  std::string name;             // in the file; {l} stands for the layer
  std::string held = "out_in";  // out_in, as nn.Linear | in_out | heads: (M, in, d') already
  Index part = 0, parts = 1;    // of equal parts of its outputs
  bool operator==(const OwnName&) const = default;
};

// Where they are kept beside the weights that they are of.
inline constexpr const char* names_file = "names.json";

// By ids of the mechanism's arrays; or the path of a file that holds such an object.
struct OwnNames {
  std::string file = {};
  std::map<std::string, OwnName, std::less<>> arrays = {};
  bool empty() const { return file.empty() && arrays.empty(); }
  bool operator==(const OwnNames&) const = default;
};

// Errors begin with `where` and name the key.
Result<OwnNames> parse_own_names(const Json& value, const std::string& where);
Json json_of(const OwnNames& names);
// The object of the file, where the names are in one. Its path is relative to `folder`.
Result<OwnNames> read_own_names(const OwnNames& names, const std::filesystem::path& folder);

}  // namespace headlight
