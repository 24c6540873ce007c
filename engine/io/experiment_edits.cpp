#include "engine/io/experiment_edits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/words.h"

namespace headlight {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> makes{"zero", "uniform", "one_hot", "permuted"};  // in the order of Edit::Make
const std::vector<std::string> edit_keys{"array", "at", "set", "make", "key", "seed", "on"};

Result<Span> parse_span(const Json& value, std::size_t axis) {
  const auto whole = [](const Json& number) {
    return number.is_number_unsigned() && number.get<std::uint64_t>() <= std::uint64_t{INT32_MAX};
  };
  if (whole(value)) return Span{value.get<Index>(), value.get<Index>()};
  if (value.is_array() && value.size() == 2 && whole(value[0]) && whole(value[1]) &&
      value[0].get<Index>() <= value[1].get<Index>())
    return Span{value[0].get<Index>(), value[1].get<Index>()};
  return fail("at[{}] is {}: it must be a place from 0, [first, last] or null (the whole axis)", axis,
              value.is_array() ? brief(value.dump()) : kind_of(value));
}

Status read_at(const Json& list, Edit& edit) {
  if (!list.is_array() || list.empty())
    return fail("at is {}: it must be a list with an entry an axis", list.is_array() ? "an empty list" : kind_of(list));
  for (std::size_t i = 0; i < list.size(); ++i) {
    edit.at.emplace_back();
    if (list[i].is_null()) continue;
    HL_TRY(edit.at.back(), parse_span(list[i], i));
  }
  return {};
}

Result<double> parse_edit_number(const Json& value) {
  if (value == "-inf") return -infinity;
  const double most = std::numeric_limits<float>::max();
  if (value.is_number() && std::abs(value.get<double>()) <= most) return value.get<double>();
  return fail("set holds {}: it must be a number that float32 holds, or \"-inf\"", kind_of(value));
}

Status read_set(const Json& value, Edit& edit) {
  if (!value.is_array()) {
    HL_TRY(const double number, parse_edit_number(value));
    edit.values = {number};
    return {};
  }
  if (value.empty()) return fail("set is an empty list: give a number, or one for each cell");
  for (const Json& item : value) {
    HL_TRY(const double number, parse_edit_number(item));
    edit.values.push_back(number);
  }
  return {};
}

Status read_make(const Json& object, Edit& edit) {
  HL_TRY(const std::string word, word_at(object, "make", "edits", makes));
  edit.make = static_cast<Edit::Make>(std::ranges::find(makes, word) - makes.begin() + 1);
  if (edit.make == Edit::Make::one_hot && !object.contains("key"))
    return fail("key is missing: say which key gets the whole weight, from 0");
  for (const auto& [key, make] : {std::pair("key", Edit::Make::one_hot), std::pair("seed", Edit::Make::permuted)})
    if (object.contains(key) && edit.make != make)
      return fail("\"{}\" goes with \"make\": \"{}\", not with \"{}\": take it out", key,
                  makes[static_cast<std::size_t>(make) - 1], word);
  return Fields(object, "edits").whole("key", edit.key, 0, INT32_MAX).whole("seed", edit.seed, 0, INT64_MAX).status();
}

Result<Edit> parse_edit(const Json& object) {
  Edit edit;
  if (!object.is_object()) return fail("it is {}: it must be an object", kind_of(object));
  if (!object.contains("array")) return fail("\"array\" is missing: name an input, a weight, the mask or a step");
  HL_TRY(edit.array, string_at(object, "array", "edits"));
  if (object.contains("at")) HL_CHECK(read_at(object.at("at"), edit));
  const bool set = object.contains("set"), make = object.contains("make");
  if (set == make)
    return fail("it has {}: give one of \"set\" (numbers) and \"make\" ({})",
                set ? "both \"set\" and \"make\"" : "neither \"set\" nor \"make\"", brief_list(makes));
  if (set && (object.contains("key") || object.contains("seed")))
    return fail("\"key\" and \"seed\" go with \"make\", not with \"set\": take them out");
  if (set) HL_CHECK(read_set(object.at("set"), edit));
  if (make) HL_CHECK(read_make(object, edit));
  HL_CHECK(Fields(object, "edits").flag("on", edit.on).status());
  return edit;
}

Json json_of(double value) {
  return std::isinf(value) ? Json("-inf") : Json(value);
}

Json json_of(const Edit& edit) {
  Json object{{"array", edit.array}};
  for (const auto& span : edit.at) {
    if (!span)
      object["at"].push_back(nullptr);
    else if (span->first == span->last)
      object["at"].push_back(span->first);
    else
      object["at"].push_back({span->first, span->last});
  }
  if (edit.make != Edit::Make::set) {
    object["make"] = makes[static_cast<std::size_t>(edit.make) - 1];
    if (edit.make == Edit::Make::one_hot) object["key"] = edit.key;
    if (edit.make == Edit::Make::permuted) object["seed"] = edit.seed;
  } else if (edit.values.size() == 1) {
    object["set"] = json_of(edit.values[0]);
  } else {
    for (const double value : edit.values) object["set"].push_back(json_of(value));
  }
  if (!edit.on) object["on"] = false;
  return object;
}

// The same edit as it stood there, on or off; each of them serves once.
Json taken_from(std::vector<Json>& old, const Edit& edit) {
  for (Json& entry : old) {
    auto read = parse_edit(entry);
    if (!read) continue;
    const bool was_on = std::exchange(read->on, edit.on);
    if (*read != edit) continue;
    Json object = std::exchange(entry, Json());
    if (was_on != edit.on) object["on"] = edit.on;
    return object;
  }
  return json_of(edit);
}

}  // namespace

Result<std::vector<Edit>> parse_edits(const Json& list, std::vector<std::string>& notices) {
  if (!list.is_array()) return fail("edits is {}: it must be a list of objects", kind_of(list));
  if (list.size() > most_edits)
    return fail("edits has {} entries: there may be {}; give \"set\" a list of numbers for a block of cells",
                list.size(), most_edits);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto edit = parse_edit(list[i]);
    if (!edit) return fail("edit {}: {}", i + 1, edit.error().message);
    note_unknown(list[i], fmt::format("edit {}: ", i + 1), edit_keys, notices);
    edits.push_back(std::move(*edit));
  }
  return edits;
}

std::string line_of(const Edit& edit) {
  return json_of(edit).dump();
}

Result<Edit> parse_edit_line(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return fail("{} is not JSON", brief(std::string(line)));
  std::vector<std::string> unknown;
  note_unknown(json, "", edit_keys, unknown);
  if (!unknown.empty()) return fail("{}", unknown.front());
  return parse_edit(json);
}

Json json_of_edits(const std::vector<Edit>& edits, const Json& old) {
  std::vector<Json> entries;
  if (old.is_array()) entries.assign(old.begin(), old.end());
  Json list = Json::array();
  for (const Edit& edit : edits) list.push_back(taken_from(entries, edit));
  return list;
}

}  // namespace headlight
