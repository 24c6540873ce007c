#include "engine/run/step_input.h"

#include <algorithm>

#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/run/model_run.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_experiment = 1 << 26;  // bytes

Result<ModelExperiment> experiment_of(const StepInput& input, const fs::path& folder) {
  if (input.of.starts_with("{")) return parse_model_experiment(input.of, folder, "of");
  const fs::path path = resolve_path(folder, input.of);
  HL_TRY(const std::string json, read_file(path, largest_experiment));
  return parse_model_experiment(json, path.parent_path(), one_line(utf8(path)));
}

}  // namespace

ArrayLabels labels_of_input(const StoredModel& model, const ModelInput& input, ModelPart part, TokenWords words) {
  ArrayLabels labels;
  const StackInput& read = input.of(part);
  labels.tokens.lists = read.words;
  if (words == TokenWords::shown && !read.shown.empty()) labels.tokens.lists = {read.shown};
  const ModelPlan& plan = model.plan().of(part);
  if (read.features) {
    constexpr double seconds = 0.02;  // of sound, a position
    labels.tokens.lists = {{}};
    for (Index i = 0; i < plan.positions; ++i)
      labels.tokens.lists.front().push_back(fmt::format("{:.2f} s", seconds * static_cast<double>(i)));
  }
  if (!read.pixels || !plan.stages.empty()) return labels;  // the places of a picture need no names
  const PatchGrid patches = patches_of(plan, *read.pixels);
  labels.picture.grid = GridSize{patches.rows, patches.columns};
  labels.picture.offset = patches.before;
  labels.tokens.lists = {{"CLS", "DIST"}};
  labels.tokens.lists.front().resize(plan.lone_tokens.size());
  for (Index i = 0; i < plan.register_count; ++i) labels.tokens.lists.front().push_back(fmt::format("REG {}", i));
  return labels;
}

LayerInputs inputs_of_layers(const std::string& variant) {
  const Experiment experiment = default_experiment(variant);
  const auto inputs = find_variant(experiment.variant)->arrays(experiment.params, {}).inputs;
  const auto keys = std::ranges::find(inputs, inputs.front().id, &ArraySpec::alias_of);
  const auto places = std::ranges::find(inputs, Role::position, &ArraySpec::role);
  const auto id_of = [&](auto found) { return found == inputs.end() ? std::string() : found->id; };
  return {inputs.front().id, id_of(keys), id_of(places)};
}

std::string step_of_memory(const ModelPlan& plan) {
  return plan.steps_of_stack(ModelPart::first) + (plan.final_norm.empty() ? "hidden" : "final_norm");
}

Result<StepNumbers> numbers_of_step(const StepInput& given, const fs::path& folder) {
  HL_TRY(const ModelExperiment experiment, experiment_of(given, folder));
  HL_TRY(const auto model, StoredModel::open(resolve_path(experiment.folder, experiment.model)));
  HL_TRY(const ModelInput input, model_input(*model, experiment));
  ThreadPool pool;
  HL_TRY(const Trace trace, ModelRunner(*model, input, pool).run(experiment, {}));
  const ModelPlan& plan = model->plan();
  const Step* step = trace.find(given.step);
  const std::vector<LayerOfModel> order = plan.order();
  const auto layer = std::ranges::find(order, given.step, [&](LayerOfModel at) { return plan.input_step(at); });
  const bool memory = plan.has_decoder() && given.step == step_of_memory(plan);
  const bool places = !plan.added_places.empty() && given.step == step_of_places;
  if (!step || (layer == order.end() && !memory && !places))
    return fail("step {} is none that a layer reads: {} to {}", one_line(given.step), plan.input_step(order.front()),
                plan.input_step(order.back()));
  const ModelPart of = layer == order.end() ? ModelPart::first : layer->part;
  return StepNumbers{step->values, places ? ArrayLabels() : labels_of_input(*model, input, of, TokenWords::shown),
                     words_of_heads(experiment.ablate, plan)};
}

Experiment layer_experiment(const StoredModel& model, LayerOfModel layer, StepInput stream,
                            std::optional<StepInput> memory, std::optional<StepInput> places) {
  Experiment experiment = default_experiment(variant_of(model.plan()));
  experiment.weights = WeightsSpec{};
  std::error_code ignored;
  experiment.weights->from = utf8(fs::absolute(model.folder(), ignored).lexically_normal());
  take_layer(model.plan(), layer, *experiment.weights);
  const LayerInputs ids = inputs_of_layers(experiment.variant);
  experiment.inputs[ids.stream] = std::move(stream);
  if (memory) experiment.inputs[ids.memory] = std::move(*memory);
  if (places) experiment.inputs[ids.places] = std::move(*places);
  return experiment;
}

std::vector<fs::path> files_of_step(const StepInput& given, const fs::path& folder) {
  std::vector<fs::path> files;
  if (!given.of.starts_with("{")) files.push_back(resolve_path(folder, given.of));
  const auto experiment = experiment_of(given, folder);
  if (!experiment) return files;
  for (fs::path& file : input_files(*experiment)) files.push_back(std::move(file));
  return files;
}

}  // namespace headlight
