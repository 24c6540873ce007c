#include "engine/params/plain.h"

#include <algorithm>

namespace headlight {

namespace {

// What is on while nothing is chosen: a prefix, too, is seen by what comes after it.
ParamValue plain_value(const ParamSpec& spec, const ParamValues& values) {
  if (spec.id == "mask" && values.choice("mask") != "none") return std::string("causal");
  return spec.fallback;
}

// Positions that are added to tokens, and where queries stand, are what attention is given.
bool is_a_choice(const ParamSpec& spec) {
  const bool given = spec.id == "positions" || spec.part_of == "positions" || spec.id == "query_offset";
  return spec.question != ParamQuestion::size && spec.question != ParamQuestion::layer && !given;
}

// Two maps a head need weights for both.
bool shapes_weights(const ParamSpec& spec) {
  return !spec.symbol.empty() || spec.id == "differential";
}

}  // namespace

bool differs_from_plain(const std::vector<ParamSpec>& specs, const ParamSpec& spec, const ParamValues& values) {
  if (!is_a_choice(spec) || !is_active(specs, spec, values)) return false;
  return values.get(spec.id) != plain_value(spec, values);
}

std::vector<std::string> non_plain_choices(const std::vector<ParamSpec>& specs, const ParamValues& values) {
  std::vector<std::string> ids;
  for (const ParamSpec& spec : specs)
    if (differs_from_plain(specs, spec, values)) ids.push_back(spec.id);
  std::erase_if(ids,
                [&](const std::string& id) { return std::ranges::count(ids, find_param(specs, id)->part_of) > 0; });
  return ids;
}

ParamValues with_plain_choices(const std::vector<ParamSpec>& specs, ParamValues values, bool same_weights) {
  const ParamValues now = values;
  for (const ParamSpec& spec : specs)
    if (is_a_choice(spec) && !(same_weights && shapes_weights(spec))) values.infer(spec.id, plain_value(spec, now));
  return values;
}

}  // namespace headlight
