// headlight trace: of an experiment, and of a model.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/session/opening.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/core/tensor.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"
#include "engine/measures/measured_map.h"
#include "engine/measures/weight_on_keys.h"
#include "engine/run/model_run.h"
#include "engine/trace/trace.h"

namespace headlight::app {

namespace fs = std::filesystem;

// Arrays that stand in no trace.
using Made = std::vector<std::pair<std::string, Tensor>>;

namespace {

// Whether the measure has a meaning for such maps, though no query may count in this one.
bool has_meaning(Missing missing) {
  return missing == Missing::nothing || missing == Missing::such_keys || missing == Missing::second_query ||
         missing == Missing::visible_keys;
}

// received (layers, heads, keys), where each query has the same keys and each layer as many.
std::optional<Tensor> received_by_keys(const std::vector<const Step*>& maps) {
  const auto has_other_keys = [&](const Step* map) {
    const Places places = measured_map(*map).places;
    return places == Places::window || places == Places::per_query ||
           map->tensor().shape() != maps.front()->tensor().shape();
  };
  if (maps.empty() || std::ranges::any_of(maps, has_other_keys)) return std::nullopt;
  const Index heads = maps.front()->extent(AxisRole::head), n = maps.front()->tensor().dim(-1);
  Tensor received = Tensor::uninitialized({static_cast<Index>(maps.size()), heads, n});
  float* to = received.data();
  for (const Step* map : maps)
    to = std::ranges::transform(weight_of_keys(*map), to, [](double weight) { return static_cast<float>(weight); }).out;
  return received;
}

// measure/NAME (layers, heads) of maps of a trace, a layer each, what keys receive, and rollout (batch, layers, n, n)
// where that is asked for and maps are square. A measure that has no meaning for such maps is left out; NaN is a head
// of which no query counts.
Made measures_of(const Trace& trace, const std::vector<const Step*>& maps, bool with_rollout = true) {
  ThreadPool pool;
  Compute compute(pool);
  std::vector<HeadMeasures> layers;
  for (const Step* map : maps) layers.push_back(measure_heads(trace, *map, compute, ReadRows::as_they_are));
  Made made;
  for (const Measure measure : all_measures()) {
    if (row_of(measure).of_run || layers.empty()) continue;  // of runs and outputs: headlight heads
    if (std::ranges::none_of(layers, [&](const auto& of) { return has_meaning(of[measure].missing); })) continue;
    Tensor values({static_cast<Index>(layers.size()), layers.front().heads});
    for (Index l = 0; l < values.dim(0); ++l)
      for (Index m = 0; m < values.dim(1); ++m)
        values[l * values.dim(1) + m] =
            static_cast<float>(layers[static_cast<std::size_t>(l)][measure].values[static_cast<std::size_t>(m)]);
    made.emplace_back(fmt::format("measure/{}", id_of(measure)), std::move(values));
  }
  if (auto received = received_by_keys(maps)) made.emplace_back("received", std::move(*received));
  if (!with_rollout) return made;
  if (auto rolled = rollout(maps, compute)) made.emplace_back("rollout", std::move(*rolled));
  return made;
}

constexpr std::uint64_t largest_experiment = 1 << 26;  // bytes

// "0,4-6" and "all".
bool add_numbers(std::string_view text, Index count, std::set<Index>& layers) {
  if (text == "all") {
    for (Index l = 0; l < count; ++l) layers.insert(l);
    return true;
  }
  for (const std::string_view part : split(text, ",")) {
    const auto dash = part.find('-', 1);
    const auto first = parse_number<Index>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number<Index>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= count) return false;
    for (Index l = *first; l <= *last; ++l) layers.insert(l);
  }
  return true;
}

// Layers of a model, "0,4-6" or "all"; of one with several stacks "encoder/0", "decoder/2", which asks twice, "text/1",
// or "all".
Status add_layers(const std::string& text, const ModelPlan& plan, std::set<LayerOfModel>& layers) {
  const auto add = [&](std::string_view numbers, std::initializer_list<ModelPart> parts) {
    std::set<Index> found;
    if (!add_numbers(numbers, plan.layers_of(*parts.begin()), found)) return false;
    for (const ModelPart part : parts)
      for (const Index layer : found) layers.insert({layer, part});
    return true;
  };
  if (!plan.has_several_parts()) {
    if (add(text, {plan.only})) return {};
    return fail("--layer {}: it must be layers from 0 to {}, such as 0,2-3, or all", one_line(text), plan.layers - 1);
  }
  const std::string_view given = text;
  const auto slash = std::min(given.find('/'), given.size() - 1);
  const std::string_view stack = given.substr(0, slash), numbers = given.substr(slash + 1);
  std::vector<std::string> stacks;
  for (const ModelPart part : plan.parts()) {
    if (part == ModelPart::cross) continue;  // of the decoder's
    const auto add_stack = [&](std::string_view which) {
      return part == ModelPart::decoder ? add(which, {part, ModelPart::cross}) : add(which, {part});
    };
    if (given == "all") add_stack(given);
    if (stack == name_of(part) && add_stack(numbers)) return {};
    stacks.push_back(fmt::format("{}/ and layers from 0 to {}", name_of(part), plan.layers_of(part) - 1));
  }
  if (given == "all") return {};
  return fail("--layer {}: it must be all, or {}", one_line(text), fmt::join(stacks, ", or "));
}

// Of each layer and head the weight on tokens that stand for no text, where there are such.
std::optional<Tensor> special_token_weights(const std::vector<const Step*>& maps, const StackInput& input) {
  const std::vector<Index> keys = input.special();
  if (keys.empty() || maps.empty()) return std::nullopt;
  const Index heads = maps.front()->extent(AxisRole::head);
  Tensor values = Tensor::uninitialized({static_cast<Index>(maps.size()), heads});
  for (std::size_t l = 0; l < maps.size(); ++l)
    std::ranges::transform(weight_on_keys(*maps[l], keys), values.data() + static_cast<Index>(l) * heads,
                           [](double value) { return static_cast<float>(value); });
  return values;
}

// "decoder/cross/measure/entropy", of each part.
Result<Made> all_measures(ModelRunner& runner, const Trace& trace, const ModelInput& input,
                          const ModelExperiment& experiment) {
  const ModelPlan& plan = runner.model().plan();
  if (!plan.stages.empty()) return Made();  // its layers have no same number of heads
  HL_TRY(auto ablation, ablation_of(runner, trace, experiment.ablate));
  Made made;
  for (const ModelPart part : plan.parts()) {
    auto maps = maps_of_layers(trace);
    std::erase_if(maps, [&](const Step* map) { return map->info.part != plan.part_name(part); });
    Made of_part = measures_of(trace, maps, in_first_stack(part));
    const auto put = [&](Measure measure, Tensor values) {
      std::string name = fmt::format("measure/{}", id_of(measure));
      std::erase_if(of_part, [&](const auto& one) { return one.first == name; });  // by its vocabulary, not its words
      of_part.emplace_back(std::move(name), std::move(values));
    };
    if (auto special = special_token_weights(maps, input.of(part == ModelPart::cross ? ModelPart::first : part)))
      put(Measure::special, std::move(*special));
    if (const auto found = ablation.find(part); found != ablation.end())
      put(Measure::ablation, std::move(found->second));
    for (auto& [name, values] : of_part) made.emplace_back(plan.steps_of_part(part) + name, std::move(values));
  }
  return made;
}

// An error where options are given that only a model has.
Status check_not_of_model(const TraceOptions& options) {
  const char* given = options.all_weights ? "--all-weights" : nullptr;
  if (!options.layers.empty()) given = "--layer";
  if (!options.given.ids.empty()) given = "--ids";
  if (options.given.decoder) given = "--decoder";
  if (options.given.text || options.given.pair) given = "--text";
  if (given) return fail("{}: {} is of a model, which this is not", one_line(utf8(options.experiment)), given);
  return {};
}

// Errors: it is no .npz, nor "-".
Status check_steps_file(const fs::path& output) {
  if (!is_standard_stream(output) && output.extension() != ".npz")
    return fail("-o {}: steps are written to an .npz file, or to standard output as -: name it so",
                one_line(utf8(output)));
  return {};
}

// Runs the model and writes its steps; `given` is what came by standard input, and empty where the options name a file.
Status trace_model(const TraceOptions& options, const std::string& given) {
  HL_TRY(const OpenedModel opened,
         open_model_input(options.experiment, options.given, options.dump, given, options.output));
  const ModelExperiment& experiment = opened.experiment;
  const auto named = [&](const Error& error) { return fail_at(experiment.name, error); };
  HL_CHECK(check_steps_file(options.output));
  LayerRecording kept{options.all_weights || options.measures, {}};
  for (const std::string& text : options.layers) HL_CHECK(add_layers(text, opened.model->plan(), kept.all_of));
  const Progress progress(options.quiet);
  ThreadPool pool;
  ModelRunner runner(*opened.model, opened.input, pool, progress.stop_token(), progress.fraction());
  const auto trace = runner.run(experiment, kept);
  if (!trace) return named(trace.error());
  Made made;
  if (options.measures) {
    auto measures = all_measures(runner, *trace, opened.input, experiment);
    if (!measures) return named(measures.error());
    made = std::move(*measures);
    if (made.empty() && !options.quiet)
      print_note("measures are left out: layers of this model have several numbers of heads");
  }
  std::vector<ArrayToWrite> arrays;
  for (const Step& step : trace->steps) {
    const bool map = step.info.layer && step.info.role == Role::weight;
    const ModelPart part = part_named(step.info.part).value_or(opened.model->plan().only);
    if (map && !options.all_weights && !kept.all_of.contains({*step.info.layer, part})) continue;
    arrays.push_back({step.info.id, step.tensor()});
  }
  for (const auto& [name, values] : made) arrays.push_back({name, values});
  if (!options.quiet) {
    for (const std::string& notice : experiment.notices) print_note(notice);
    for (const std::string& warning : trace->warnings) print_warning(warning);
  }
  HL_TRY(FileWriter writer, open_writer(options.output));
  return write_npz(std::move(writer), arrays);
}

}  // namespace

bool is_model(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) || path.extension() == ".gguf";
}

bool uses_model(const fs::path& path) {
  if (is_model(path)) return true;
  if (path == "-" || (path.extension() != ".json" && path.extension() != ".headlight")) return false;
  const auto json = read_file(path, largest_experiment);
  return json && is_model_experiment(*json);
}

Result<ModelExperiment> model_experiment_of(const fs::path& path, const GivenInput& given,
                                            const std::string& standard_input) {
  std::error_code ignored;
  if (is_model(path)) {
    HL_TRY(auto experiment, experiment_of_folder(path, given));
    experiment.folder = fs::current_path(ignored);
    return experiment;
  }
  if (given.any())
    return fail("{}: an experiment says what its model reads: leave out --text, --ids and --image",
                one_line(utf8(path)));
  if (is_standard_stream(path)) return parse_model_experiment(standard_input, {}, standard_input_name);
  HL_TRY(const std::string json, read_file(path, largest_experiment));
  return parse_model_experiment(json, path.parent_path(), one_line(utf8(path)));
}

Result<OpenedModel> open_model_input(const fs::path& path, GivenInput given, const DumpOptions& dump,
                                     const std::string& standard_input, const fs::path& output) {
  given.image = dump.image;
  HL_CHECK(check_unread(dump, one_line(utf8(path)), true));
  HL_TRY(ModelExperiment experiment, model_experiment_of(path, given, standard_input));
  HL_TRY(auto model, StoredModel::open(resolve_path(experiment.folder, experiment.model)));
  if (!experiment.tokens && !model->plan().example.empty())
    experiment.tokens = TokensInput{model->plan().example, {}, {}, {}};
  if (!output.empty() && !is_standard_stream(output)) HL_CHECK(check_may_write(experiment, output));
  auto input = model_input(*model, experiment);
  if (!input) return fail_at(experiment.name, input.error());
  return OpenedModel{std::move(experiment), std::move(model), std::move(*input)};
}

Status trace_command(TraceOptions options) {
  HL_CHECK(check_standard_output(options.output));
  HL_CHECK(go_to_step(options.experiment, options.given));
  HL_TRY(const std::string given, read_if_standard(options.experiment));
  if (uses_model(options.experiment) || is_model_experiment(given)) return trace_model(options, given);
  HL_CHECK(check_not_of_model(options));
  HL_TRY(const Experiment experiment, read_given_experiment(options.experiment, options.dump, given));
  if (!is_standard_stream(options.output)) HL_CHECK(check_may_write(experiment, options.output));
  HL_CHECK(check_steps_file(options.output));
  HL_TRY(const RunResult ran, run_with_progress(experiment, options.quiet));
  std::vector<ArrayToWrite> arrays;
  for (const auto& step : ran.trace->steps) arrays.push_back({step.info.id, step.tensor()});
  const Made made = options.measures ? measures_of(*ran.trace, maps_of_layers(*ran.trace)) : Made();
  if (options.measures && made.empty() && !options.quiet)
    print_note("measures are left out: they are of weights, from 0 to 1");
  for (const auto& [name, values] : made) arrays.push_back({name, values});
  HL_TRY(FileWriter writer, open_writer(options.output));
  return write_npz(std::move(writer), arrays);
}

}  // namespace headlight::app
