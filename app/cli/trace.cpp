#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"

namespace headlight::app {

namespace {

// Arrays that stand in no trace.
using Made = std::vector<std::pair<std::string, Tensor>>;

// measure/NAME (layers, heads), and rollout (batch, layers, n, n) where maps are square. A measure that no head has is
// left out.
Made measures_of(const Trace& trace) {
  ThreadPool pool;
  Compute compute(pool);
  const auto maps = maps_of_layers(trace);
  std::vector<HeadMeasures> layers;
  for (const Step* map : maps) layers.push_back(measure_heads(trace, *map, compute, ReadRows::as_they_are));
  Made made;
  for (std::size_t k = 0; k < measure_count && !layers.empty(); ++k) {
    const auto measure = static_cast<Measure>(k);
    if (measure == Measure::share || measure == Measure::ablation) continue;  // of runs and outputs: headlight heads
    if (std::ranges::all_of(layers, [&](const auto& of) { return of[measure].missing != Missing::nothing; })) continue;
    Tensor values({static_cast<Index>(layers.size()), layers.front().heads});
    for (Index l = 0; l < values.dim(0); ++l)
      for (Index m = 0; m < values.dim(1); ++m)
        values[l * values.dim(1) + m] =
            static_cast<float>(layers[static_cast<std::size_t>(l)][measure].values[static_cast<std::size_t>(m)]);
    made.emplace_back(fmt::format("measure/{}", id_of(measure)), std::move(values));
  }
  if (auto rolled = rollout(maps, compute)) made.emplace_back("rollout", std::move(*rolled));
  return made;
}

}  // namespace

int trace_command(const TraceOptions& options) {
  const auto carry_out = [&]() -> Status {
    HL_TRY(const Experiment experiment, read_named_experiment(options.experiment, options.dump));
    HL_CHECK(check_may_write(experiment, options.output));
    if (options.output.extension() != ".npz")
      return fail("-o {}: steps are written to an .npz file: name it so", one_line(options.output.string()));
    HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
    std::vector<ArrayToWrite> arrays;
    for (const auto& step : ran.trace->steps) arrays.push_back({step.info.id, step.tensor()});
    const Made made = options.measures ? measures_of(*ran.trace) : Made();
    if (options.measures && made.empty() && !options.quiet)
      fmt::print(stderr, "headlight: note: measures are left out: they are of weights, from 0 to 1\n");
    for (const auto& [name, values] : made) arrays.push_back({name, values});
    return write_npz(options.output, arrays);
  };
  const Status status = carry_out();
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
