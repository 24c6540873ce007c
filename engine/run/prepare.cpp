#include "engine/run/prepare.h"

#include <limits>

#include "engine/base/words.h"
#include "engine/io/axes.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/run/arrange.h"
#include "engine/run/ask_gradient.h"
#include "engine/run/edits.h"
#include "engine/run/only_query.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/preparing.h"
#include "engine/run/run_cache.h"

namespace headlight {

using namespace preparing;

namespace {

Status load_file(Work& work) {
  if (work.experiment.arrays.empty()) return {};
  HL_TRY(const auto arrays, work.cache.arrays(resolve_path(work.experiment.folder, work.experiment.arrays)));
  work.file = *arrays;
  return {};
}

// An array of an .npy, .npz or .safetensors. Errors do not name the input.
Result<ReadArray> read_array(const Work& work, const FileInput& file) {
  HL_TRY(const auto arrays, work.cache.arrays(resolve_path(work.experiment.folder, file.path)));
  std::vector<std::string> names;
  for (const auto& [name, array] : *arrays) names.push_back(name);
  const std::string path = one_line(file.path), held = brief_list(names);
  if (file.member.empty() && arrays->size() != 1)
    return fail("{} holds {} arrays{}: name one as \"member\"", path, arrays->size(),
                names.empty() ? "" : fmt::format(" ({})", held));
  if (file.member.empty()) return arrays->begin()->second;
  const auto found = arrays->find(file.member);
  if (found == arrays->end())
    return fail("{} holds no array {}: it has {}", path, one_line(file.member), names.empty() ? "none" : held);
  return found->second;
}

// Read before anything else is: sizes that nobody set are theirs.
Status read_inputs(Work& work) {
  for (const auto& [id, input] : work.experiment.inputs) {
    if (const auto* step = std::get_if<StepInput>(&input)) {
      const auto numbers = work.cache.step(*step, work.experiment.folder);
      if (!numbers) return fail_at(work.where(id), numbers.error());
      work.read.emplace(id, ReadArray{(*numbers)->values, false});
      work.labels.emplace(id, (*numbers)->labels);
      work.problem.model.heads_off = (*numbers)->heads_off;
      continue;
    }
    const auto* file = std::get_if<FileInput>(&input);
    if (!file || work.file.contains(id) || work.maps.contains(id)) continue;
    auto array = read_array(work, *file);
    if (!array) return fail_at(work.where(id), array.error());
    if (const Status known = file->axes.empty() ? Status{} : check_axes(file->axes, array->values->shape()); !known)
      return fail("{}.axes: {}", work.where(id), known.error().message);
    work.read.emplace(id, std::move(*array));
  }
  return {};
}

// Arrays and a layer that the caller has in memory.
struct GivenArrays {
  const Variant* variant;
  std::optional<LayerOfStateDict> layer;
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> arrays;
};

Status put_given_arrays(Work& work, GivenArrays given) {
  for (const auto& [id, values] : given.arrays) work.file.emplace(id, ReadArray{values, false});
  return given.layer ? put_layer(work, std::move(*given.layer)) : Status{};
}

Result<Problem> prepare_problem(const Experiment& experiment, const Budget& budget, RunCache& cache,
                                std::optional<TooLarge>* too_large, GivenArrays* given = nullptr) {
  const Variant* variant = given ? given->variant : find_variant(experiment.variant);
  if (!variant) return fail("variant \"{}\" is not known", experiment.variant);
  Work work{.experiment = experiment, .variant = *variant, .cache = cache};
  HL_TRY(work.problem.params, checked_params(experiment.params, *variant));
  work.problem.variant = variant;
  HL_CHECK(load_file(work));
  HL_CHECK(given ? put_given_arrays(work, std::move(*given)) : load_layer(work));
  HL_CHECK(load_trained(work));
  HL_CHECK(read_maps(work));
  HL_CHECK(read_inputs(work));
  HL_CHECK(split_fused_arrays(work));
  infer_ranks(work);
  work.problem.specs = variant->arrays(work.problem.params, given_names(work));
  HL_CHECK(check_names(work));
  HL_CHECK(infer_params(work));
  Symbols fixed;
  variant->bind(work.problem.params, fixed);
  work.shapes.take(fixed, "params");
  for (const auto& spec : work.problem.specs.inputs) HL_CHECK(put_input(work, spec));
  HL_CHECK(put_labels_of_maps(work));
  HL_CHECK(put_given_weights(work));
  Symbols all = work.shapes.symbols();
  variant->bind_rest(work.problem.params, all);
  work.shapes.take(all, "params");
  work.problem.symbols = all;
  HL_CHECK(variant->validate(work.problem.params, all));
  HL_CHECK(check_weights_wanted(work));
  work.problem.gradient = experiment.gradient;  // it takes memory, too
  HL_CHECK(check_budget(work, budget, too_large));
  HL_CHECK(put_made_weights(work));
  // Last: weights made by hand look at where tokens stand, and must be those of the run before.
  if (experiment.arrange) HL_CHECK(arrange(*experiment.arrange, work.problem));
  // Cells are those of the arrays as they are shown.
  HL_CHECK(apply_edits(experiment.edits, work.problem));
  HL_CHECK(keep_only_query(work.problem));
  if (experiment.gradient) HL_CHECK(ask_gradient(*experiment.gradient, work.problem));
  return std::move(work.problem);
}

}  // namespace

Budget Budget::of_this_machine() {
  return {free_memory() / 2};
}

Result<Problem> prepare(const Experiment& experiment, const Budget& budget, RunCache* cache,
                        std::optional<TooLarge>* too_large) {
  RunCache own;
  (cache ? cache : &own)->next_run();
  auto problem = prepare_problem(experiment, budget, cache ? *cache : own, too_large);
  if (!problem && !experiment.name.empty()) return fail_at(experiment.name, problem.error());
  return problem;
}

Result<Problem> prepare_layer(const Experiment& experiment, LayerOfStateDict layer,
                              const std::map<std::string, std::shared_ptr<const Tensor>>& inputs) {
  RunCache none(0);
  GivenArrays given{find_variant(experiment.variant), std::move(layer), {inputs.begin(), inputs.end()}};
  return prepare_problem(experiment, Budget::of_this_machine(), none, nullptr, &given);
}

Result<Problem> prepare_arrays(const Variant& variant, const ParamValues& params, const ArrayMap& arrays,
                               std::optional<GradientAsked> gradient) {
  Experiment experiment;
  experiment.variant = variant.info().id;
  experiment.params = params;
  experiment.weights = WeightsSpec{};
  experiment.weights->init = "xavier_normal";
  experiment.gradient = std::move(gradient);
  RunCache none(0);
  GivenArrays given{&variant, {}, arrays};
  const Budget any_size{std::numeric_limits<double>::infinity()};
  return prepare_problem(experiment, any_size, none, nullptr, &given);
}

}  // namespace headlight
