#include "engine/io/json_fields.h"

#include <algorithm>
#include <iterator>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"
#include "engine/params/params.h"

namespace headlight {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t many_keys = 4096;                    // of one object: in their order, each is looked for in all
constexpr std::size_t most_values = std::size_t{8} << 20;  // 16 bytes each, and 48 with a key
constexpr std::size_t longest_message = 1000;              // bytes

// Walks over JSON without building it. What is no JSON is left to the parser to name.
class Bounds {
 public:
  explicit Bounds(std::string_view text) : text_(text) {}

  Status check() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') skip_string();
      if (c == ']' || c == '}') close();
      if (c == '[' || c == '{') HL_CHECK(open());
      if (c == ',') HL_CHECK(count());
    }
    return {};
  }
  // Whether an object has so many keys that they cannot be kept in their order.
  bool wide() const { return wide_; }

 private:
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
  }
  void close() {
    if (!open_.empty()) open_.pop_back();
  }
  Status open() {
    if (open_.size() == deepest) return fail("it is nested more than {} deep at byte {}", deepest, at_);
    open_.push_back({text_[at_] == '{', 1});
    return count_value();
  }
  Status count() {
    if (!open_.empty() && ++open_.back().items > many_keys) wide_ |= open_.back().is_object;
    return count_value();
  }
  Status count_value() {
    if (++values_ > most_values)
      return fail("it holds more than {} million values: keep large arrays in an .npy or .npz", most_values >> 20);
    return {};
  }

  struct Open {
    bool is_object = false;
    std::size_t items = 0;
  };
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  bool wide_ = false;
  std::vector<Open> open_;
};

// The same values, keys by the alphabet.
Json with_sorted_keys(nlohmann::json& from) {
  if (from.is_object()) {
    Json object = Json::object();
    auto& pairs = object.get_ref<Json::object_t&>();
    pairs.reserve(from.size());
    for (auto& [key, value] : from.items()) pairs.emplace_back(key, with_sorted_keys(value));
    return object;
  }
  if (from.is_array()) {
    Json array = Json::array();
    for (auto& value : from) array.push_back(with_sorted_keys(value));
    return array;
  }
  if (from.is_string()) return Json(std::move(from.get_ref<std::string&>()));
  if (from.is_boolean()) return Json(from.get<bool>());
  if (from.is_number_unsigned()) return Json(from.get<std::uint64_t>());
  if (from.is_number_integer()) return Json(from.get<std::int64_t>());
  return from.is_number() ? Json(from.get<double>()) : Json();
}

}  // namespace

Result<Json> read_json(std::string_view text) {
  Bounds bounds(text);
  HL_CHECK(bounds.check());
  try {
    if (!bounds.wide()) return Json::parse(text);
    nlohmann::json sorted = nlohmann::json::parse(text);
    return with_sorted_keys(sorted);
  } catch (const Json::exception& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: …"
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    const bool typographic = text.find("“") != text.npos || text.find("”") != text.npos;
    return fail("this is not JSON: {}{}", what, typographic ? "; its quotes are straight ones" : "");
  }
}

std::string message_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  if (text.size() <= longest_message) return text;
  std::size_t end = longest_message;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // a character is not left half
  return text.substr(0, end) + "…";
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
      return fmt::format("\"{}\"", brief(value.get_ref<const std::string&>()));
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return brief(value.dump());
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
    return fail("{}.{} is \"{}\": it must be one of {}", where, key, brief(word), brief_list(allowed));
  return word;
}

namespace {

Result<std::vector<std::string>> list_of_texts(const Json& list, const std::string& where) {
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (!item.is_string())
      return fail("{}[{}] is {}: it must be a text{}", where, texts.size(), kind_of(item),
                  item.is_number() ? ": give the tokens themselves, not their ids" : "");
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> lists_of_texts(const Json& value, const std::string& where) {
  std::vector<std::vector<std::string>> lists;
  if (value.empty() || !value.front().is_array()) {
    HL_TRY(lists.emplace_back(), list_of_texts(value, where));
    return lists;
  }
  for (const Json& item : value) {
    const std::string at = fmt::format("{}[{}]", where, lists.size());
    if (!item.is_array()) return fail("{} is {}: it must be a list of texts, as [0] is", at, kind_of(item));
    HL_TRY(lists.emplace_back(), list_of_texts(item, at));
  }
  return lists;
}

void note_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known,
                  std::vector<std::string>& notices) {
  constexpr std::size_t most_named = 5;
  std::size_t unknown = 0;
  for (const auto& item : object.items()) {
    if (std::ranges::find(known, item.key()) != known.end() || ++unknown > most_named) continue;
    const std::string near = nearest_word(item.key(), known);
    notices.push_back(fmt::format("{}{} is not a key that Headlight knows{}; it is kept as it is", where,
                                  brief(item.key()), near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
  }
  if (unknown > most_named)
    notices.push_back(fmt::format("{}{} more keys are none that Headlight knows; they are kept as they are", where,
                                  unknown - most_named));
}

std::string relative_path(const std::string& path, const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  if (const std::string_view name = embedded_name(path); !name.empty()) return std::string(name);
  const bool absolute = path_of_utf8(path).is_absolute();
  if (path.empty() || (absolute ? to.empty() : from == to)) return path;
  std::error_code ignored;
  const fs::path whole = fs::absolute(from / path, ignored).lexically_normal();
  const fs::path folder = fs::absolute(to, ignored).lexically_normal();
  // Where they share nothing but the root, the way from one to the other names as much and does not last longer.
  if (std::next(whole.begin()) != whole.end() && std::next(folder.begin()) != folder.end() &&
      *std::next(whole.begin()) != *std::next(folder.begin()))
    return absolute ? path : utf8(whole);
  const fs::path seen = whole.lexically_relative(folder);
  return seen.empty() ? utf8(whole) : utf8(seen);
}

}  // namespace headlight
