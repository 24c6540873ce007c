#include <cmath>

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "app/cli/standard_output.h"
#include "app/reading/head_measures.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/measures/head_outputs.h"

namespace headlight::app {

namespace {

Result<HeadMeasures> measure(const Experiment& experiment, const HeadsOptions& options, const Trace& trace) {
  ThreadPool pool;
  Compute compute(pool);
  auto measures = measure_heads(trace, compute);
  if (!measures) return fail("{}: it has no map of queries and keys, so no heads to measure", experiment.variant);
  if (!(options.ablation || measure_by_id(options.sort) == Measure::ablation) ||
      (*measures)[Measure::ablation].missing != Missing::runs)
    return *measures;
  HL_TRY(auto changes, changes_without_heads(experiment, trace, measures->heads, options.quiet));
  (*measures)[Measure::ablation] = {std::move(changes), Missing::nothing};
  return *measures;
}

}  // namespace

Status heads_command(const HeadsOptions& options) {
  HL_TRY(const Experiment experiment, read_named_experiment(options.experiment));
  const bool print = options.output.empty() || is_standard_output(options.output);
  if (!print) HL_CHECK(check_may_write(experiment, options.output));
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  HL_TRY(const HeadMeasures measures, measure(experiment, options, *ran.trace));
  const auto by = measure_by_id(options.sort);  // none: by number
  const auto order = heads_by(measures, by, !by || options.ascending);
  const std::string text = options.csv ? heads_as_fields(measures, *ran.trace, order, Separator::comma)
                                       : heads_as_text(measures, *ran.trace, order);
  if (print) {
    fmt::print("{}", text);
    return {};
  }
  HL_TRY(FileWriter writer, FileWriter::create(options.output));
  HL_CHECK(writer.append(text));
  return writer.commit();
}

}  // namespace headlight::app
