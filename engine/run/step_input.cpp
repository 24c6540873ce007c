#include "engine/run/step_input.h"

#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/run/model_run.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_experiment = 1 << 26;  // bytes

Result<ModelExperiment> experiment_of(const StepInput& input, const fs::path& folder) {
  if (input.of.starts_with("{")) return parse_model_experiment(input.of, folder, "of");
  const fs::path path = path_from(folder, input.of);
  HL_TRY(const std::string json, read_file(path, largest_experiment));
  return parse_model_experiment(json, path.parent_path(), one_line(path.native()));
}

}  // namespace

ArrayLabels labels_of_input(const Model& model, const ModelInput& input, TokenWords words) {
  ArrayLabels labels;
  labels.tokens.lists = input.words;
  if (words == TokenWords::shown && !input.shown.empty()) labels.tokens.lists = {input.shown};
  const ModelPlan& plan = model.plan();
  if (!plan.pixels) return labels;
  const Index side = plan.image_size / plan.patch;
  labels.picture.grid = GridSize{side, side};
  labels.picture.offset = static_cast<Index>(plan.lone_tokens.size());
  labels.tokens.lists = {{"CLS", "DIST"}};
  labels.tokens.lists.front().resize(plan.lone_tokens.size());
  return labels;
}

Result<StepNumbers> numbers_of_step(const StepInput& given, const fs::path& folder) {
  HL_TRY(const ModelExperiment experiment, experiment_of(given, folder));
  HL_TRY(const auto model, Model::open(path_from(experiment.folder, experiment.model)));
  HL_TRY(const ModelInput input, model_input(*model, experiment));
  ThreadPool pool;
  HL_TRY(const Trace trace, ModelRunner(*model, input, pool).run(experiment, {}));
  const Step* step = trace.find(given.step);
  if (!step || step->tensor().shape().size() != 3 || step->extent(AxisRole::query) != step->tensor().dim(1))
    return fail("step {} is none that a layer reads: layer0/input to layer{}/input", one_line(given.step),
                model->plan().layers - 1);
  return StepNumbers{step->values, labels_of_input(*model, input, TokenWords::shown)};
}

Experiment layer_experiment(const Model& model, Index layer, StepInput input) {
  Experiment experiment = default_experiment("multi_head");
  experiment.weights = WeightsSpec{};
  std::error_code ignored;
  experiment.weights->from = fs::absolute(model.folder(), ignored).lexically_normal().native();
  experiment.weights->layer = layer;
  const ArraySpecs specs = find_variant(experiment.variant)->arrays(experiment.params, {});
  experiment.inputs[specs.inputs.front().id] = std::move(input);
  return experiment;
}

std::vector<fs::path> files_of_step(const StepInput& given, const fs::path& folder) {
  std::vector<fs::path> files;
  if (!given.of.starts_with("{")) files.push_back(path_from(folder, given.of));
  const auto experiment = experiment_of(given, folder);
  if (!experiment) return files;
  for (fs::path& file : files_read(*experiment)) files.push_back(std::move(file));
  return files;
}

}  // namespace headlight
