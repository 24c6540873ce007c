// Reading fields of JSON objects with errors that name the field, what was found and what is allowed.
//
// Not for what the fields mean: experiment.cpp and experiment_inputs.cpp.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight {

using Json = nlohmann::ordered_json;

// JSON from a file, which may hold anything: looked through before anything is built, since nested lists and keys
// without number cost far more memory and time than their bytes. Errors: no JSON; nested more than 64 deep; more than
// eight million values.
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

// The fields of an object that may be left out, read one after the other: what is left out stays as it is. The first
// mistake ends the reading.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  template <class Text>
  Fields& text(const std::string& key, Text& into) {
    return read(key, into, [&] { return string_at(object_, key.c_str(), where_); });
  }
  template <class Number>
  Fields& whole(const std::string& key, Number& into, Index least, Index most) {
    return read(key, into, [&] { return whole_at(object_, key.c_str(), where_, least, most); });
  }
  Fields& flag(const std::string& key, bool& into) {
    return read(key, into, [&] { return flag_at(object_, key.c_str(), where_); });
  }
  template <class Text>
  Fields& word(const std::string& key, Text& into, const std::vector<std::string>& allowed) {
    return read(key, into, [&] { return word_at(object_, key.c_str(), where_, allowed); });
  }
  const Status& status() const { return status_; }

 private:
  template <class Into, class Read>
  Fields& read(const std::string& key, Into& into, const Read& read_field) {
    if (!status_ || !object_.contains(key)) return *this;
    if (auto value = read_field())
      into = static_cast<Into>(std::move(*value));
    else
      status_ = tl::unexpected<Error>(value.error());
    return *this;
  }

  const Json& object_;
  std::string where_;
  Status status_;
};

// Writes a field, or takes it out where there is nothing to say.
template <class Value>
void put_or_erase(Json& object, const std::string& key, const std::optional<Value>& value) {
  if (value)
    object[key] = *value;
  else
    object.erase(key);
}
inline void put_or_erase(Json& object, const std::string& key, const std::string& text) {
  put_or_erase(object, key, text.empty() ? std::nullopt : std::optional(text));
}

// A path that stands in a file of the folder `from`, as a file of the folder `to` writes it: relative where the two
// have a folder in common, so that they can be moved together and whoever gets the file need not learn where it was
// made; absolute where they share nothing but the root, for "../../../.." leads nowhere once one of them is moved. Of
// an embedded file (embedded.h) its name.
std::string relative_path(const std::string& path, const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headlight
