#include "engine/variants/variant.h"

#include <algorithm>

#include "engine/core/mistake.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/recorder.h"

namespace headlight {

const Tensor* Problem::find(std::string_view id) const {
  const auto found = arrays.find(id);
  return found == arrays.end() ? nullptr : found->second.get();
}

Index Problem::dim(std::string_view symbol) const {
  const auto found = symbols.find(symbol);
  if (found == symbols.end()) {
    std::vector<std::string> bound;
    for (const auto& [known, extent] : symbols) bound.push_back(known);
    mistake("{}: the symbol {} is bound by no parameter and no array: {}", variant->info().id, symbol,
            nearest_or_all(symbol, bound));
  }
  return found->second;
}

Index Problem::extent(AxisRole along) const {
  Index largest = 1;  // of several that run along such: maps and the heads that they belong to
  for (const auto& [symbol, extent] : symbols)
    if (role_of_symbol(symbol) == along) largest = std::max(largest, extent);
  return largest;
}

const ArraySpec* second_input(const ArraySpecs& specs) {
  const auto is_second = [&](const ArraySpec& spec) {
    return &spec != &specs.inputs.front() && spec.role == Role::key && spec.layout != Layout::none;
  };
  const auto found = std::ranges::find_if(specs.inputs, is_second);
  return found == specs.inputs.end() ? nullptr : &*found;
}

Status Variant::check(const Problem& problem) const {
  return mask::check(problem, masks());
}

const Variant* find_variant(std::string_view id) {
  for (const Variant* variant : all_variants())
    if (variant->info().id == id) return variant;
  return nullptr;
}

Cost cost_of(const Problem& problem) {
  Recorder recorder(problem);
  problem.variant->record(recorder);
  recorder.record_gradients();
  return recorder.cost();
}

}  // namespace headlight
