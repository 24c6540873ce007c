// Parts of tokenizer.json that stand one after another.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"

namespace headlight {

// What `make` makes of each part in the list under the key. Errors: none there, which `where` says of what, and make's.
template <class Made>
Result<std::vector<Made>> all_of(const Json& part, const char* key, const char* where,
                                 Result<Made> (*make)(const Json&)) {
  if (!part.contains(key) || !part.at(key).is_array()) return fail("{} has no list of {}", where, key);
  std::vector<Made> all;
  for (const Json& each : part.at(key)) {
    HL_TRY(Made made, make(each));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace headlight
