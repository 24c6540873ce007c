#include "engine/run/hints.h"

#include <algorithm>

namespace headlight {

namespace {

bool takes(const ArraySpecs& specs, std::string_view name) {
  const auto has = [&](const std::vector<ArraySpec>& list) {
    return std::ranges::find(list, name, &ArraySpec::id) != list.end();
  };
  return has(specs.inputs) || has(specs.weights);
}

// The values of a flag or a choice.
std::vector<ParamValue> values_of(const ParamSpec& spec) {
  std::vector<ParamValue> values;
  if (spec.type == ParamType::flag) values = {true, false};
  for (const auto& choice : spec.choices) values.emplace_back(choice.id);
  return values;
}

// "params.ffn to true": of one setting that is not what it is now.
std::string setting_that_takes(std::string_view name, const Variant& variant, const ParamValues& params) {
  for (const auto& spec : variant.params())
    for (const auto& value : values_of(spec)) {
      if (value == params.get(spec.id)) continue;
      ParamValues tried = params;
      tried.set(spec.id, value);
      if (takes(variant.arrays(tried, {std::string(name)}), name))
        return fmt::format("params.{} to {}", spec.id, to_string(value));
    }
  return "";
}

}  // namespace

std::string hint_for_param(std::string_view id, const Variant& variant) {
  std::vector<std::string> known;
  for (const auto& spec : variant.params()) known.push_back(spec.id);
  return nearest_or_all(id, known);
}

std::string hint_for_name(std::string_view name, const Variant& variant, const ParamValues& params,
                          const ArraySpecs& specs) {
  if (const std::string setting = setting_that_takes(name, variant, params); !setting.empty())
    return fmt::format("set {}, which takes it", setting);
  std::vector<std::string> known;
  for (const auto* list : {&specs.inputs, &specs.weights})
    for (const auto& spec : *list) known.push_back(spec.id);
  return nearest_or_all(name, known);
}

std::string hint_for_shape(const ArraySpec& spec, const Shape& shape) {
  const auto& symbols = spec.shapes.front();
  if (symbols.empty() || shape.size() + 1 != symbols.size()) return "";
  const AxisRole missing = role_of_symbol(symbols.front());
  if (missing == AxisRole::batch)
    return fmt::format(" (a batch of one? give it that axis: {}[None] in NumPy)", spec.id);
  if (missing == AxisRole::head && symbols.size() == 3)
    return fmt::format(
        " (one matrix for all heads? cut it in NumPy: {0}.reshape({1}, {3}, {2}).transpose(1, 0, 2), and take {0}.T "
        "before it where a library keeps (out, in))",
        spec.id, symbols[1], symbols[2], symbols[0]);
  if (missing == AxisRole::head && symbols.size() == 2)
    return fmt::format(" (one vector for all heads? cut it in NumPy: {}.reshape({}, {}))", spec.id, symbols[0],
                       symbols[1]);
  return "";
}

}  // namespace headlight
