#include "app/state/mechanism_report.h"

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
  if (problem.heads.empty()) return plain;  // drawn, or given: the same again
  // Made by hand to suit the choices: with others they would be made otherwise.
  for (const ArraySpec& spec : variant->arrays(plain.params, {}).weights)
    if (const Tensor* made = spec.fill == Fill::init ? problem.find(spec.id) : nullptr)
      plain.inputs.try_emplace(
          spec.id, LiteralInput{.shape = made->shape(), .values = {made->values().begin(), made->values().end()}});
  return plain;
}

}  // namespace headlight::app
