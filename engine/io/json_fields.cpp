#include "engine/io/json_fields.h"

#include <algorithm>

namespace headlight {

std::string without_control_characters(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

std::string quoted(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return fmt::format("\"{}\"", value.get_ref<const std::string&>().substr(0, 40));
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return value.dump().substr(0, 40);
  }
}

Result<std::string> string_at(const Json& object, const char* key, const std::string& where) {
  const Json& value = object.at(key);
  if (!value.is_string()) return fail("{}.{} is {}: it must be a string", where, key, kind_of(value));
  return value.get<std::string>();
}

Result<Index> whole_at(const Json& object, const char* key, const std::string& where, Index least, Index most) {
  const Json& value = object.at(key);
  const bool whole =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!whole || value.get<Index>() < least || value.get<Index>() > most)
    return fail("{}.{} is {}: it must be a whole number from {} to {}", where, key, kind_of(value), least, most);
  return value.get<Index>();
}

Result<bool> flag_at(const Json& object, const char* key, const std::string& where) {
  const Json& value = object.at(key);
  if (!value.is_boolean()) return fail("{}.{} is {}: it must be true or false", where, key, kind_of(value));
  return value.get<bool>();
}

Result<std::string> word_at(const Json& object, const char* key, const std::string& where,
                            const std::vector<std::string>& allowed) {
  HL_TRY(std::string word, string_at(object, key, where));
  if (std::ranges::find(allowed, word) == allowed.end())
    return fail("{}.{} is \"{}\": it must be one of {}", where, key, word, quoted(allowed));
  return word;
}

void note_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known,
                  std::vector<std::string>& notices) {
  for (const auto& item : object.items())
    if (std::ranges::find(known, item.key()) == known.end())
      notices.push_back(fmt::format("{}{} is not a key that Headlight knows; it is kept as it is", where, item.key()));
}

std::string path_seen_from(const std::string& path, const std::filesystem::path& from,
                           const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  if (path.empty() || fs::path(path).is_absolute() || from == to) return path;
  std::error_code ignored;
  const fs::path whole = fs::absolute(from / path, ignored);
  const fs::path seen = whole.lexically_relative(fs::absolute(to, ignored));
  return seen.empty() ? whole.string() : seen.string();
}

}  // namespace headlight
