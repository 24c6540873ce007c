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

// JSON from a file, which may hold anything: looked through before anything is built, since nested lists and keys
// without number cost far more memory and time than their bytes. Errors: no JSON; nested more than 64 deep; an object
// of more than 4,096 keys; more than eight million values.
Result<Json> read_json(std::string_view text);

// A message on one line; one that repeats more of a file than anyone reads is cut.
std::string message_line(std::string text);

// "an object", "a string": what was found, for messages.
std::string kind_of(const Json& value);

// A field that is there, as a type; errors read "inputs.x_q.seed is "a": it must be …".
Result<std::string> string_at(const Json& object, const char* key, const std::string& where);
Result<Index> whole_at(const Json& object, const char* key, const std::string& where, Index least, Index most);
Result<bool> flag_at(const Json& object, const char* key, const std::string& where);
Result<std::string> word_at(const Json& object, const char* key, const std::string& where,
                            const std::vector<std::string>& allowed);

// A list of texts, or a list of such lists, one for each item of a batch. Errors name the first item that is none:
// "inputs.x_q.tokens[3] is 7: it must be a text: …"; `where` is what stands before the bracket, and may be empty.
Result<std::vector<std::vector<std::string>>> lists_of_texts(const Json& value, const std::string& where);

// Reports keys that are not known, the first of them by name; they are kept when the file is saved again.
void note_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known,
                  std::vector<std::string>& notices);

// A path that stands in a file of the folder `from`, as a file of the folder `to` writes it: relative where the two
// have a folder in common, so that they can be moved together and whoever gets the file need not learn where it was
// made; absolute where they share nothing but the root, for "../../../.." leads nowhere once one of them is moved. Of
// an embedded file (embedded.h) its name.
std::string path_seen_from(const std::string& path, const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headlight
