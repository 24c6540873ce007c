#include "engine/io/own_names.h"

#include <utility>

#include "engine/base/words.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr std::size_t most_names = 256;
constexpr Index most_parts = 1024;

// "enc.{l}.q.weight", or {"name": …, "held": …, "part": [i, n]}.
Result<OwnName> parse_own_name(const Json& value, const std::string& where) {
  OwnName own;
  if (value.is_string()) {
    own.name = value.get<std::string>();
  } else {
    if (!value.is_object())
      return fail("{} is {}: it must be a name, or an object with name, held and part", where, kind_of(value));
    for (const auto& item : value.items())
      if (item.key() != "name" && item.key() != "held" && item.key() != "part")
        return fail("{}.{} is not a key: name, held and part are", where, brief(item.key()));
    HL_TRY(own.name, string_at(value, "name", where));
    HL_CHECK(Fields(value, where).word("held", own.held, {"out_in", "in_out", "heads"}).status());
    if (value.contains("part")) {
      const Json& part = value.at("part");
      const auto whole = [&](std::size_t at) {
        return part[at].is_number_integer() && part[at] >= 0 && part[at] <= most_parts;
      };
      if (!part.is_array() || part.size() != 2 || !whole(0) || !whole(1) || part[0] >= part[1])
        return fail("{}.part is {}: it must be [i, n], the i-th of n equal parts, counted from 0", where,
                    brief(part.dump()));
      own.part = part[0].get<Index>();
      own.parts = part[1].get<Index>();
    }
  }
  if (own.name.empty()) return fail("{} is empty: it must be the name of an array of the file", where);
  return own;
}

}  // namespace

Result<OwnNames> parse_own_names(const Json& value, const std::string& where) {
  OwnNames names;
  if (value.is_string()) {
    names.file = value.get<std::string>();
    if (names.file.empty()) return fail("{} is empty: it must be the path of a file of names", where);
    return names;
  }
  if (!value.is_object() || value.empty() || value.size() > most_names)
    return fail(
        "{} is {}: it must be an object of names, such as {{\"w_q\": \"enc.{{l}}.q.weight\"}}, or the path of a "
        "file that holds one",
        where, value.is_object() ? fmt::format("an object of {} names", value.size()) : kind_of(value));
  for (const auto& item : value.items()) {
    HL_TRY(OwnName own, parse_own_name(item.value(), fmt::format("{}.{}", where, brief(item.key()))));
    names.arrays.emplace(item.key(), std::move(own));
  }
  return names;
}

Json json_of(const OwnNames& names) {
  if (!names.file.empty()) return names.file;
  Json object = Json::object();
  for (const auto& [id, own] : names.arrays) {
    if (own.held == "out_in" && own.parts == 1) {
      object[id] = own.name;
      continue;
    }
    object[id] = {{"name", own.name}, {"held", own.held}};
    if (own.parts > 1) object[id]["part"] = {own.part, own.parts};
  }
  return object;
}

Result<OwnNames> read_own_names(const OwnNames& names, const std::filesystem::path& folder) {
  constexpr std::uint64_t largest = 1'000'000;  // bytes
  if (names.file.empty()) return names;
  HL_TRY(const std::string text, read_file(resolve_path(folder, names.file), largest));
  const std::string where = one_line(names.file);
  auto json = read_json(text);
  if (!json) return fail("{}: {}", where, message_line(json.error().message));
  if (json->is_string()) return fail("{}: is a text: it must be an object of names", where);
  return parse_own_names(*json, where);
}

}  // namespace headlight
