#include "app/cli/commands.h"
#include "app/cli/measures.h"
#include "app/cli/model_trace.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "app/cli/standard_output.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"

namespace headlight::app {

Status trace_command(const TraceOptions& options) {
  HL_CHECK(check_standard_output(options.output));
  std::string given;  // by standard input
  if (is_standard_input(options.experiment)) {
    HL_TRY(given, read_standard_input());
  }
  if (is_of_model(options.experiment) || names_a_model(given)) return trace_model(options, given);
  HL_CHECK(check_not_of_model(options));
  HL_TRY(const Experiment experiment, given.empty() ? open_experiment(options.experiment, options.dump)
                                                    : parse_experiment(given, {}, standard_input_name));
  if (!is_standard_output(options.output)) HL_CHECK(check_may_write(experiment, options.output));
  HL_CHECK(check_steps_file(options.output));
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  std::vector<ArrayToWrite> arrays;
  for (const auto& step : ran.trace->steps) arrays.push_back({step.info.id, step.tensor()});
  const Made made = options.measures ? measures_of(*ran.trace, maps_of_layers(*ran.trace)) : Made();
  if (options.measures && made.empty() && !options.quiet)
    fmt::print(stderr, "headlight: note: measures are left out: they are of weights, from 0 to 1\n");
  for (const auto& [name, values] : made) arrays.push_back({name, values});
  HL_TRY(FileWriter writer, writer_of(options.output));
  return write_npz(std::move(writer), arrays);
}

}  // namespace headlight::app
