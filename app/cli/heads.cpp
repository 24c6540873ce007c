// headlight heads: measures of every head, of an experiment's map, or of all layers of a model or of attention.
#include <algorithm>

#include "app/cli/alike.h"
#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/cli/why.h"
#include "app/reading/head_measures.h"
#include "app/reading/other_descriptions.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/measures/weight_on_keys.h"
#include "engine/run/model_run.h"

namespace headlight::app {

namespace {

bool wants_ablation(const HeadsOptions& options) {
  return options.ablation || measure_by_id(options.sort) == Measure::ablation;
}

Status write_layers(const HeadsOptions& options, const std::vector<MeasuredLayer>& layers) {
  if (options.in_words) return write_text(options.output, describe_layers(layers));
  const auto by = measure_by_id(options.sort);  // none: by layer and number
  return write_text(options.output, options.csv ? layers_as_fields(layers, by, options.ascending)
                                                : layers_as_text(layers, by, options.ascending));
}

Status write_alike(const HeadsOptions& options, const std::vector<AlikeHeads>& parts) {
  return write_text(options.output, options.csv ? alike_as_fields(parts) : alike_as_text(parts));
}

// ---- Of one experiment -------------------------------------------------------------------------------------------

Result<HeadMeasures> measure(const Experiment& experiment, const HeadsOptions& options, const Trace& trace) {
  ThreadPool pool;
  Compute compute(pool);
  auto measures = measure_heads(trace, compute);
  if (!measures) return fail("{}: it has no map of queries and keys, so no heads to measure", experiment.variant);
  if (!wants_ablation(options)) return *measures;
  if (const Missing missing = (*measures)[Measure::ablation].missing; missing != Missing::runs)
    return fail("--ablation: {}", missing_in_words(missing));
  HL_TRY(auto changes, ablate_heads(experiment, trace, measures->heads, options.quiet));
  (*measures)[Measure::ablation] = {std::move(changes), Missing::nothing};
  return *measures;
}

Status heads_of_experiment(const HeadsOptions& options, const std::string& given) {
  Experiment experiment = example_experiment();
  if (!options.experiment.empty()) {
    HL_TRY(experiment, read_given_experiment(options.experiment, options.dump, given));
  }
  if (!options.output.empty() && !is_standard_stream(options.output))
    HL_CHECK(check_may_write(experiment, options.output));
  HL_TRY(const RunResult ran, run_with_progress(experiment, options.quiet));
  const auto maps = maps_of_layers(*ran.trace);
  if (options.alike) {
    if (maps.empty()) return fail("{}: it has no map of weights, so no heads to compare", experiment.variant);
    ThreadPool pool;
    Compute compute(pool);
    HL_TRY(AlikeHeads alike, alike_heads("", maps, compute));
    return write_alike(options, {std::move(alike)});
  }
  if (maps.size() > 1) {
    if (wants_ablation(options))
      return fail("--ablation needs a run without each head, and attention that was saved has none to make");
    ThreadPool pool;
    Compute compute(pool);
    std::vector<MeasuredLayer> layers;
    for (const Step* map : maps) layers.push_back({"", *map->info.layer, measure_heads(*ran.trace, *map, compute)});
    return write_layers(options, layers);
  }
  HL_TRY(const HeadMeasures measures, measure(experiment, options, *ran.trace));
  if (options.in_words) return write_text(options.output, describe_heads(*ran.trace, measures));
  const auto by = measure_by_id(options.sort);  // none: by number
  const auto order = sorted_heads(measures, by, !by || options.ascending);
  return write_text(options.output, options.csv ? heads_as_fields(measures, *ran.trace, order, Separator::comma)
                                                : heads_as_text(measures, *ran.trace, order));
}

// ---- Of a model --------------------------------------------------------------------------------------------------

void put_special(MeasuredLayer& layer, const Step& map, const std::vector<Index>& keys) {
  HeadValues& special = layer.measures[Measure::special];
  if (keys.empty()) return;
  special = {{}, Missing::nothing};
  for (const double weight : weight_on_keys(map, keys)) special.values.push_back(weight);
}

Status heads_of_model(const HeadsOptions& options, const std::string& given) {
  HL_TRY(const OpenedModel opened,
         open_model_input(options.experiment, options.given, options.dump, given, options.output));
  const ModelExperiment& experiment = opened.experiment;
  const auto named = [&](const Error& error) { return fail_at(experiment.name, error); };
  const Progress progress(options.quiet);
  ThreadPool pool;
  ModelRunner runner(*opened.model, opened.input, pool, progress.stop_token(), progress.fraction());
  const auto trace = runner.run(experiment, LayerRecording{true, {}});
  if (!trace) return named(trace.error());
  const ModelPlan& plan = opened.model->plan();
  std::map<ModelPart, Tensor> ablation;  // (layers, heads) of each part
  if (wants_ablation(options)) {
    auto changes = ablation_of(runner, *trace, experiment.ablate);
    if (!changes) return named(changes.error());
    ablation = std::move(*changes);
  }
  Compute compute(pool, progress.stop_token());
  if (options.alike) {
    std::vector<AlikeHeads> parts;
    for (const ModelPart part : plan.parts()) {
      auto maps = maps_of_layers(*trace);
      std::erase_if(maps, [&](const Step* map) { return map->info.part != plan.part_name(part); });
      if (maps.empty()) continue;
      auto alike = alike_heads(plan.part_name(part), maps, compute);
      if (!alike) return named(alike.error());
      parts.push_back(*std::move(alike));
    }
    if (compute.cancelled()) return fail("cancelled");
    return write_alike(options, parts);
  }
  std::vector<MeasuredLayer> layers;
  for (const ModelPart part : plan.parts()) {
    const std::vector<Index> special = opened.input.of(part == ModelPart::cross ? ModelPart::first : part).special();
    for (const Step* map : maps_of_layers(*trace)) {
      if (map->info.part != plan.part_name(part)) continue;
      MeasuredLayer& layer = layers.emplace_back();
      layer = {plan.part_name(part), *map->info.layer, measure_heads(*trace, *map, compute)};
      put_special(layer, *map, special);
      const auto changes = ablation.find(part);
      if (changes == ablation.end()) continue;
      HeadValues& of = layer.measures[Measure::ablation] = {{}, Missing::nothing};
      for (Index head = 0; head < layer.measures.heads; ++head)
        of.values.push_back(changes->second[layer.layer * changes->second.dim(1) + head]);
    }
  }
  if (layers.empty()) return fail("{}: it has no map of queries and keys, so no heads to measure", experiment.model);
  if (!options.quiet)
    for (const std::string& notice : experiment.notices) print_note(notice);
  return write_layers(options, layers);
}

}  // namespace

Status heads_command(HeadsOptions options) {
  HL_CHECK(go_to_step(options.experiment, options.given));
  HL_TRY(const std::string given, read_if_standard(options.experiment));
  const bool of_model = uses_model(options.experiment) || is_model_experiment(given);
  if (of_model) return options.why.token ? explain_logit(options, given) : heads_of_model(options, given);
  if (options.why.token) return fail("{}: --why is of a model, which this is not", one_line(utf8(options.experiment)));
  if (options.given.any())
    return fail("{}: --text, --pair, --decoder and --ids are of a model, which this is not",
                one_line(utf8(options.experiment)));
  return heads_of_experiment(options, given);
}

}  // namespace headlight::app
