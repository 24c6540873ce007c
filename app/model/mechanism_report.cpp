#include "app/model/mechanism_report.h"

#include <algorithm>

#include "engine/params/plain.h"
#include "engine/run/moved_places.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Arrays that choices alone take which the experiment no longer makes. A file of arrays cannot be read in part: where
// it has one of them, what else the run got stands in its place.
void drop_untaken_inputs(Experiment& experiment, const Problem& problem, const Variant& variant) {
  const auto takes = [&](const ParamValues& params, const std::string& id) {
    const ArraySpecs specs = variant.arrays(params, {});
    return std::ranges::count(specs.inputs, id, &ArraySpec::id) +
               std::ranges::count(specs.weights, id, &ArraySpec::id) >
           0;
  };
  const auto untaken = [&](const std::string& id) {
    return takes(problem.params, id) && !takes(experiment.params, id);
  };
  std::erase_if(experiment.inputs, [&](const auto& input) { return untaken(input.first); });
  std::vector<std::string> got;
  for (const auto* specs : {&problem.specs.inputs, &problem.specs.weights})
    for (const ArraySpec& spec : *specs)
      if (problem.find(spec.id)) got.push_back(spec.id);
  // Of an array that is edited by hand the run has what became of it: the edit would be carried out again.
  if (experiment.arrays.empty() || !experiment.edits.empty() || std::ranges::none_of(got, untaken)) return;
  experiment.arrays.clear();
  for (const std::string& id : got)
    if (!untaken(id)) experiment.inputs.try_emplace(id, literal_input(*problem.find(id)));
}

// The same inputs and weights through another mechanism.
Experiment twin_experiment(const PlainTwin& twin, Experiment experiment, const Problem& problem) {
  experiment.variant = twin.variant;
  const Variant& variant = *find_variant(twin.variant);
  experiment.params = ParamValues::defaults(variant.params());
  for (const auto& [id, value] : twin.params) experiment.params.set(id, value);
  // All weights are there; how they were made still says how words become numbers.
  if (experiment.weights)
    experiment.weights =
        WeightsSpec{.init = experiment.weights->init == "trained" ? "xavier_normal" : experiment.weights->init,
                    .seed = experiment.weights->seed};
  const ArraySpecs takes = variant.arrays(experiment.params, {});
  const auto is_taken = [&](const std::string& id) {
    return std::ranges::count(takes.inputs, id, &ArraySpec::id) +
               std::ranges::count(takes.weights, id, &ArraySpec::id) >
           0;
  };
  std::erase_if(experiment.inputs, [&](const auto& input) { return !is_taken(input.first); });
  for (const ArraySpec& spec : problem.specs.weights)
    if (const Tensor* w = problem.find(spec.id); w && is_taken(spec.id))
      experiment.inputs.insert_or_assign(spec.id, literal_input(*w));
  return experiment;
}

}  // namespace

std::vector<std::string> non_plain_choices(const Model& model) {
  const Experiment& experiment = *model.document.experiment;
  const Variant* variant = find_variant(experiment.variant);
  return variant ? headlight::non_plain_choices(variant->params(), experiment.params) : std::vector<std::string>();
}

bool differs_in_map(const Experiment& experiment) {
  const Variant* variant = find_variant(experiment.variant);
  if (!variant) return false;
  return variant->plain_twin(experiment.params)
             ? experiment.edits.empty()
             : with_plain_choices(variant->params(), experiment.params, true) != experiment.params;
}

std::optional<Experiment> plain_beside(const Experiment& experiment, const Problem& problem) {
  if (!differs_in_map(experiment)) return std::nullopt;
  const Variant* variant = find_variant(experiment.variant);
  if (const auto twin = variant->plain_twin(experiment.params)) return twin_experiment(*twin, experiment, problem);
  Experiment plain = experiment;
  plain.params = with_plain_choices(variant->params(), experiment.params, true);
  drop_untaken_inputs(plain, problem, *variant);
  // Heads that are made by hand to suit a choice would be made otherwise without it.
  const bool suited = std::ranges::any_of(variant->params(), [&](const ParamSpec& spec) {
    return spec.question == ParamQuestion::positions && !spec.breaks_named_heads &&
           plain.params.get(spec.id) != experiment.params.get(spec.id);
  });
  if (suited) keep_made_weights(plain, problem);
  return plain;
}

std::vector<std::optional<Experiment>> scores_beside(const Experiment& experiment, const Problem& problem) {
  std::vector<std::optional<Experiment>> beside;
  if (!experiment.edits.empty()) return beside;
  for (const ScoreForm& form : problem.variant->score_forms(problem.params))
    beside.push_back(form.own ? std::nullopt : std::optional(twin_experiment(form.made_by, experiment, problem)));
  return beside;
}

std::optional<Experiment> sinusoidal_beside(const Experiment& experiment, const Problem& problem) {
  const Variant* variant = find_variant(experiment.variant);
  if (!variant || problem.only_query) return std::nullopt;
  const auto has = [&](const char* id) { return find_param(variant->params(), id) != nullptr; };
  if (!has("positions") || !has("relative") || !has("rotary")) return std::nullopt;
  const ParamValues& now = experiment.params;
  if (now.choice("positions") != "none") return std::nullopt;  // they are there already
  if (now.choice("rotary") == "none" && now.choice("relative") == "none") return std::nullopt;
  Experiment beside = experiment;
  for (const auto& [id, value] : {std::pair("rotary", "none"), {"relative", "none"}, {"positions", "sinusoidal"}})
    beside.params.set(id, std::string(value));
  keep_made_weights(beside, problem);
  drop_untaken_inputs(beside, problem, *variant);
  for (const ArraySpec& spec : problem.specs.inputs)
    if (spec.role == Role::position) beside.inputs.erase(spec.id);  // codes that were given
  return beside;
}

}  // namespace headlight::app
