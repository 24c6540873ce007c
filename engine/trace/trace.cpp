#include "engine/trace/trace.h"

#include <algorithm>

namespace headlight {

const Axis* Step::axis(const std::string& symbol) const {
  const auto found = std::ranges::find(info.axes, symbol, &Axis::symbol);
  return found == info.axes.end() ? nullptr : &*found;
}

const Step* Trace::find(std::string_view id) const {
  for (const auto* list : {&steps, &sources})
    for (const auto& step : *list)
      if (step.info.id == id) return &step;
  return nullptr;
}

const Stage* Trace::stage_of(std::string_view step_id) const {
  for (const auto& stage : stages)
    if (std::ranges::find(stage.steps, step_id) != stage.steps.end()) return &stage;
  return nullptr;
}

std::optional<Origin> Trace::origin_of_non_finite() const {
  for (const auto* list : {&sources, &steps})
    for (const auto& step : *list)
      if (step.non_finite)
        return Origin{step.info.id, step.non_finite->first_cell, step.tensor()[step.non_finite->first_cell]};
  return std::nullopt;
}

Index Trace::bytes() const {
  Index total = 0;
  for (const auto* list : {&sources, &steps})
    for (const auto& step : *list) total += step.tensor().size() * static_cast<Index>(sizeof(float));
  return total;
}

}  // namespace headlight
