#include "app/state/mechanism_report.h"

#include <algorithm>

#include "engine/variants/plain.h"
#include "engine/variants/variant.h"

namespace headlight::app {

std::vector<std::string> choices_not_plain(const Model& model) {
  const Experiment& experiment = model.document.experiment;
  const Variant* variant = find_variant(experiment.variant);
  return variant ? headlight::choices_not_plain(variant->params(), experiment.params) : std::vector<std::string>();
}

bool differs_in_map(const Experiment& experiment) {
  const Variant* variant = find_variant(experiment.variant);
  return variant && with_plain_choices(variant->params(), experiment.params, true) != experiment.params;
}

std::optional<Experiment> plain_beside(const Experiment& experiment, const Problem& problem) {
  if (!differs_in_map(experiment)) return std::nullopt;
  const Variant* variant = find_variant(experiment.variant);
  Experiment plain = experiment;
  plain.params = with_plain_choices(variant->params(), experiment.params, true);
  // Heads that are made by hand to suit a choice would be made otherwise without it.
  const bool suited = std::ranges::any_of(variant->params(), [&](const ParamSpec& spec) {
    return spec.question == ParamQuestion::positions && !spec.unmakes_heads &&
           plain.params.get(spec.id) != experiment.params.get(spec.id);
  });
  if (problem.heads.empty() || !suited) return plain;
  for (const ArraySpec& spec : variant->arrays(plain.params, {}).weights) {
    const bool asks = spec.role == Role::query || spec.role == Role::key;
    if (const Tensor* made = asks && spec.fill == Fill::init ? problem.find(spec.id) : nullptr)
      plain.inputs.try_emplace(
          spec.id, LiteralInput{.shape = made->shape(), .values = {made->values().begin(), made->values().end()}});
  }
  return plain;
}

}  // namespace headlight::app
