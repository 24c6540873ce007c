#include "engine/trace/trace.h"

#include <algorithm>

#include "engine/base/words.h"
#include "engine/trace/code_names.h"

namespace headlight {

const Axis* Step::axis(AxisRole along) const {
  const auto found = std::ranges::find(info.axes, along, role_along);
  return found == info.axes.end() ? nullptr : &*found;
}

Index Step::extent(AxisRole along) const {
  const Axis* found = axis(along);
  return found ? found->size : 1;
}

std::vector<std::string_view> names_in(std::string_view lines) {
  const auto part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
  };
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i] == '"') {
      i = std::min(lines.find('"', i + 1), lines.size() - 1) + 1;
      continue;
    }
    std::size_t end = i;
    // "layer3/weights" is one name; a division has spaces around it.
    const auto goes_on = [&] {
      return lines[end] == '/' && end > i && end + 1 < lines.size() && lines[end + 1] >= 'a' && lines[end + 1] <= 'z';
    };
    while (end < lines.size() && (part_of_name(lines[end]) || goes_on())) ++end;
    if (end > i) names.push_back(lines.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

const Step* Trace::find(std::string_view id) const {
  for (const auto* list : {&steps, &sources})
    for (const auto& step : *list)
      if (step.info.id == id) return &step;
  return nullptr;
}

namespace {

bool is_map(const Step& step) {
  return step.info.role == Role::weight && step.axis(AxisRole::query) && step.axis(AxisRole::key);
}

void add_once(std::vector<const Step*>& list, const Step* step) {
  if (step && std::ranges::find(list, step) == list.end()) list.push_back(step);
}

}  // namespace

std::vector<const Step*> Trace::maps() const {
  std::vector<const Step*> found;
  for (const auto& step : steps)
    if (is_map(step)) found.push_back(&step);
  return found;
}

const Step* Trace::map() const {
  const auto found = std::ranges::find_if(steps, is_map);
  return found == steps.end() ? nullptr : &*found;
}

const Step* Trace::default_step() const {
  const Step* found = map();
  return found || steps.empty() ? found : &steps.back();
}

const Step* Trace::scores_before(const Step& pairs) const {
  for (const Step* step : inputs_of(pairs)) {
    if (step == &pairs || step->tensor().shape() != pairs.tensor().shape()) continue;
    if (step->info.role == Role::score) return step;
    if (step->info.role == Role::weight && step->explain) return scores_before(*step);
  }
  return nullptr;
}

const Step* Trace::output() const {
  const auto found =
      std::find_if(steps.rbegin(), steps.rend(), [](const Step& step) { return step.info.role == Role::output; });
  return found == steps.rend() ? nullptr : &*found;
}

std::vector<const Step*> Trace::inputs_of(const Step& step) const {
  std::vector<const Step*> found;
  for (const std::string_view name : names_in(step.info.code.numpy))
    if (const std::string_view id = id_of_name(name); id != step.info.id) add_once(found, find(id));
  if (!step.info.code.numpy.empty() || !step.base_explain() || step.tensor().size() == 0) return found;
  for (const Index cell : {Index{0}, step.tensor().size() - 1})
    for (const Term& term : step.base_explain()(cell).terms)
      for (const Operand& factor : term.factors) add_once(found, find(factor.array));
  return found;
}

std::vector<AppliedEdit> Trace::edits_affecting(const Step& step) const {
  if (edits.empty()) return {};
  std::vector<const Step*> behind{&step};
  for (std::size_t i = 0; i < behind.size(); ++i)  // grows while it is walked
    for (const Step* read : inputs_of(*behind[i])) add_once(behind, read);
  std::vector<AppliedEdit> found;
  for (const AppliedEdit& edit : edits)
    if (std::ranges::find(behind, edit.array, [](const Step* s) { return s->info.id; }) != behind.end())
      found.push_back(edit);
  return found;
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
