#include "engine/io/param_fields.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/base/words.h"

namespace headlight {

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? fmt::format("known: {}", brief_list(known)) : fmt::format("did you mean {}?", near);
}

Result<ParamValue> param_value(const Json& value) {
  if (value.is_null()) return ParamValue(std::monostate{});
  if (value.is_boolean()) return ParamValue(value.get<bool>());
  if (value.is_string()) return ParamValue(value.get<std::string>());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return ParamValue(value.get<double>());
  if (value.is_number_integer()) return ParamValue(value.get<Index>());
  if (value.is_number()) return ParamValue(value.get<double>());
  return fail("is {}: it must be a number, a word, true, false or null", kind_of(value));
}

Status read_params(const Json& object, const std::string& where, const std::string& of,
                   const std::vector<ParamSpec>& specs, ParamValues& into) {
  if (!object.is_object()) return fail("{} is {}: it must be an object", where, kind_of(object));
  for (const auto& item : object.items()) {
    const ParamSpec* spec = find_param(specs, item.key());
    if (!spec) {
      std::vector<std::string> known;
      for (const auto& each : specs) known.push_back(each.id);
      return fail("{}.{} is not {}: {}", where, brief(item.key()), of, suggestion(item.key(), known));
    }
    auto value = param_value(item.value());
    if (!value) return fail("{}.{} {}", where, brief(item.key()), value.error().message);
    auto checked = check_param(*spec, *value);
    if (!checked) return fail("{}.{}", where, checked.error().message);
    into.set(item.key(), std::move(*checked));
  }
  return {};
}

Json json_of(const ParamValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

}  // namespace headlight
