#include "app/cli/commands.h"
#include "app/cli/measures.h"
#include "app/cli/model_trace.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"

namespace headlight::app {

int trace_command(const TraceOptions& options) {
  const auto carry_out = [&]() -> Status {
    if (is_of_model(options.experiment)) return trace_model(options);
    HL_CHECK(check_not_of_model(options));
    HL_TRY(const Experiment experiment, read_named_experiment(options.experiment, options.dump));
    HL_CHECK(check_may_write(experiment, options.output));
    if (options.output.extension() != ".npz")
      return fail("-o {}: steps are written to an .npz file: name it so", one_line(options.output.string()));
    HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
    std::vector<ArrayToWrite> arrays;
    for (const auto& step : ran.trace->steps) arrays.push_back({step.info.id, step.tensor()});
    const Made made = options.measures ? measures_of(*ran.trace, maps_of_layers(*ran.trace)) : Made();
    if (options.measures && made.empty() && !options.quiet)
      fmt::print(stderr, "headlight: note: measures are left out: they are of weights, from 0 to 1\n");
    for (const auto& [name, values] : made) arrays.push_back({name, values});
    return write_npz(options.output, arrays);
  };
  return exit_status(carry_out());
}

}  // namespace headlight::app
