#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "app/figures/figure_files.h"
#include "app/worksheets/worksheet_files.h"

namespace headlight::app {

Status worksheet_command(const WorksheetOptions& options) {
  HL_TRY(std::filesystem::path key, worksheet_key(options.output, options.key));
  if (!options.with_key) key.clear();
  Experiment experiment = example_experiment();
  if (!options.experiment.empty()) {
    HL_TRY(experiment, read_named_experiment(options.experiment));
  }
  HL_CHECK(check_worksheet_files(experiment, options.output, key));
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  WorksheetRequest request = options.request;
  request.title =
      worksheet_title(experiment, *ran.problem, is_standard_input(options.experiment) ? "" : options.experiment);
  request.batch = options.batch.value_or(experiment.view.batch.value_or(0));
  request.head = options.head.value_or(experiment.view.head.value_or(0));
  if (!request.query) request.query = experiment.view.query;
  const std::filesystem::path fonts = assets_folder() / "fonts";
  HL_TRY(const std::string note, missing_fonts_of(*ran.problem, {request.title}, "sans", fonts));
  if (!note.empty()) fmt::print(stderr, "headlight: note: {}\n", note);
  return write_worksheet({ran.trace, std::move(request), options.paper, options.output, std::move(key), fonts});
}

}  // namespace headlight::app
