#include "app/state/mechanism_report.h"

#include <algorithm>

#include "engine/run/moved_places.h"
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
  // Arrays that such a choice alone takes go with it.
  const auto takes = [&](const ParamValues& params, const std::string& id) {
    const ArraySpecs specs = variant->arrays(params, {});
    return std::ranges::count(specs.inputs, id, &ArraySpec::id) +
               std::ranges::count(specs.weights, id, &ArraySpec::id) >
           0;
  };
  std::erase_if(plain.inputs, [&](const auto& input) {
    return takes(experiment.params, input.first) && !takes(plain.params, input.first);
  });
  // Heads that are made by hand to suit a choice would be made otherwise without it.
  const bool suited = std::ranges::any_of(variant->params(), [&](const ParamSpec& spec) {
    return spec.question == ParamQuestion::positions && !spec.unmakes_heads &&
           plain.params.get(spec.id) != experiment.params.get(spec.id);
  });
  if (suited) keep_made_weights(plain, problem);
  return plain;
}

}  // namespace headlight::app
