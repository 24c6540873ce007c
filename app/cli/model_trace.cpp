#include "app/cli/model_trace.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "app/cli/measures.h"
#include "app/cli/progress.h"
#include "app/state/opening.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"
#include "engine/measures/weight_on_keys.h"
#include "engine/run/model_run.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_experiment = 1 << 26;  // bytes

// "0,4-6" and "all".
Status add_layers(const std::string& text, Index count, std::set<Index>& layers) {
  const auto wrong = [&] {
    return fail("--layer {}: it must be layers from 0 to {}, such as 0,2-3, or all", one_line(text), count - 1);
  };
  if (text == "all") {
    for (Index l = 0; l < count; ++l) layers.insert(l);
    return {};
  }
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    Index first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc()) return wrong();
    Index last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc()) return wrong();
    }
    if (first < 0 || last < first || last >= count) return wrong();
    for (Index l = first; l <= last; ++l) layers.insert(l);
    at = parsed.ptr;
    if (at == end) return {};
    if (*at++ != ',') return wrong();
  }
}

// Of each layer and head the weight on tokens that stand for no text, where there are such.
std::optional<Tensor> special_of(const std::vector<const Step*>& maps, const ModelInput& input) {
  const std::vector<Index> keys = input.special();
  if (keys.empty() || maps.empty()) return std::nullopt;
  const Index heads = maps.front()->extent(AxisRole::head);
  Tensor values = Tensor::uninitialized({static_cast<Index>(maps.size()), heads});
  for (std::size_t l = 0; l < maps.size(); ++l)
    std::ranges::transform(weight_on_keys(*maps[l], keys), values.data() + static_cast<Index>(l) * heads,
                           [](double value) { return static_cast<float>(value); });
  return values;
}

Result<Made> all_measures(ModelRunner& runner, const Trace& trace, const ModelInput& input,
                          const ModelExperiment& experiment) {
  Made made = measures_of(trace);
  if (auto special = special_of(maps_of_layers(trace), input))
    made.emplace_back(fmt::format("measure/{}", id_of(Measure::special)), std::move(*special));
  HL_TRY(auto ablation, ablation_of(runner, trace, experiment.ablate));
  if (ablation) made.emplace_back(fmt::format("measure/{}", id_of(Measure::ablation)), std::move(*ablation));
  return made;
}

}  // namespace

bool is_of_model(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return true;
  if (path == "-" || (path.extension() != ".json" && path.extension() != ".headlight")) return false;
  const auto json = read_file(path, largest_experiment);
  return json && names_a_model(*json);
}

Status check_not_of_model(const TraceOptions& options) {
  const char* given = options.given.text || options.given.pair ? "--text"
                      : !options.given.ids.empty()             ? "--ids"
                      : !options.layers.empty()                ? "--layer"
                      : options.all_weights                    ? "--all-weights"
                                                               : nullptr;
  if (given) return fail("{}: {} is of a model, which this is not", one_line(options.experiment.native()), given);
  return {};
}

Result<ModelExperiment> model_experiment_of(const fs::path& path, const ModelGiven& given) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    HL_TRY(auto experiment, experiment_of_folder(path, given));
    experiment.folder = fs::current_path(ignored);
    return experiment;
  }
  if (given.text || given.pair || !given.ids.empty())
    return fail("{}: an experiment says what its model reads: leave out --text and --ids", one_line(path.native()));
  HL_TRY(const std::string json, read_file(path, largest_experiment));
  return parse_model_experiment(json, path.parent_path(), one_line(path.native()));
}

Status trace_model(const TraceOptions& options) {
  ModelGiven given = options.given;
  given.image = options.dump.image;
  HL_TRY(const ModelExperiment experiment, model_experiment_of(options.experiment, given));
  const auto named = [&](const Error& error) { return fail_at(experiment.name, error); };
  const auto model = Model::open(path_from(experiment.folder, experiment.model));
  if (!model) return tl::unexpected<Error>(model.error());
  HL_CHECK(check_not_read((*model)->arrays().files(), options.output));
  HL_CHECK(check_not_read({options.experiment, (*model)->folder() / "config.json"}, options.output));
  if (options.output.extension() != ".npz")
    return fail("-o {}: steps are written to an .npz file: name it so", one_line(options.output.string()));
  const auto input = model_input(**model, experiment);
  if (!input) return named(input.error());
  KeptOfLayers kept{options.all_weights || options.measures, {}};
  for (const std::string& text : options.layers) HL_CHECK(add_layers(text, (*model)->plan().layers, kept.all_of));
  const Progress progress(options.quiet);
  ThreadPool pool;
  ModelRunner runner(**model, *input, pool, progress.stop_token(), progress.fraction());
  const auto trace = runner.run(experiment, kept);
  if (!trace) return named(trace.error());
  Made made;
  if (options.measures) {
    auto measures = all_measures(runner, *trace, *input, experiment);
    if (!measures) return named(measures.error());
    made = std::move(*measures);
  }
  std::vector<ArrayToWrite> arrays;
  for (const Step& step : trace->steps) {
    const bool map = step.info.layer && step.info.role == Role::weight;
    if (map && !options.all_weights && !kept.all_of.contains(*step.info.layer)) continue;
    arrays.push_back({step.info.id, step.tensor()});
  }
  for (const auto& [name, values] : made) arrays.push_back({name, values});
  if (!options.quiet) {
    for (const std::string& notice : experiment.notices) fmt::print(stderr, "headlight: note: {}\n", notice);
    for (const std::string& warning : trace->warnings) fmt::print(stderr, "headlight: warning: {}\n", warning);
  }
  return write_npz(options.output, arrays);
}

}  // namespace headlight::app
