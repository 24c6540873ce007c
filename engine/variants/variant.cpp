#include "engine/variants/variant.h"

#include <algorithm>
#include <cassert>

#include "engine/variants/recorder.h"

namespace headlight {

const Tensor* Problem::find(std::string_view id) const {
  const auto found = arrays.find(id);
  return found == arrays.end() ? nullptr : found->second.get();
}

Index Problem::dim(std::string_view symbol) const {
  const auto found = symbols.find(symbol);
  assert(found != symbols.end());
  return found->second;
}

Index Problem::extent(AxisRole along) const {
  const auto found = symbols.find(symbol_of(along));
  return found == symbols.end() ? 1 : found->second;
}

const ArraySpec* second_input(const ArraySpecs& specs) {
  const auto is_second = [&](const ArraySpec& spec) {
    return &spec != &specs.inputs.front() && spec.role == Role::key && spec.layout != Layout::none;
  };
  const auto found = std::ranges::find_if(specs.inputs, is_second);
  return found == specs.inputs.end() ? nullptr : &*found;
}

Status Variant::check(const Problem&) const {
  return {};
}

const Variant* find_variant(std::string_view id) {
  for (const Variant* variant : all_variants())
    if (variant->info().id == id) return variant;
  return nullptr;
}

Cost cost_of(const Problem& problem) {
  Recorder recorder(problem);
  problem.variant->record(recorder);
  return recorder.cost();
}

}  // namespace headlight
