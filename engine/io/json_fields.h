// Reading fields of JSON objects with errors that name the field, what was found and what is allowed.
//
// Not for what the fields mean: experiment.cpp and experiment_inputs.cpp.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace headlight {

using Json = nlohmann::ordered_json;

// Keys and words of a file may hold anything; a message is one line.
std::string without_control_characters(std::string text);

// "a, b, c".
std::string quoted(const std::vector<std::string>& words);

// "an object", "a string": what was found, for messages.
std::string kind_of(const Json& value);

// A field that is there, as a type; errors read "inputs.x_q.seed is "a": it must be …".
Result<std::string> string_at(const Json& object, const char* key, const std::string& where);
Result<Index> whole_at(const Json& object, const char* key, const std::string& where, Index least, Index most);
Result<bool> flag_at(const Json& object, const char* key, const std::string& where);
Result<std::string> word_at(const Json& object, const char* key, const std::string& where,
                            const std::vector<std::string>& allowed);

// Reports keys that are not known; they are kept when the file is saved again.
void note_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known,
                  std::vector<std::string>& notices);

// A path that stands in a file of the folder `from`, as a file of the folder `to` writes it.
std::string path_seen_from(const std::string& path, const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headlight
