#include "engine/variants/variant.h"

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

Status Variant::check(const Problem&) const {
  return {};
}

Cost cost_of(const Problem& problem) {
  Recorder recorder(problem);
  problem.variant->record(recorder);
  return recorder.cost();
}

}  // namespace headlight
