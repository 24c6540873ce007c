#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/cli/standard_input.h"
#include "app/cli/standard_output.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"

namespace headlight::app {

namespace {

// The file of arrays stands beside the script; its name is written into it.
Result<ScriptFiles> files_of(const CodeOptions& options) {
  const std::filesystem::path like =
      is_standard_input(options.experiment) ? "experiment" : options.experiment.filename();
  const std::filesystem::path output =
      options.output.empty() ? std::filesystem::path(like).replace_extension(".py") : options.output;
  if (output.extension() != ".py") return fail("{}: scripts are written as .py: name it so", utf8(output));
  ScriptFiles files{
      .experiment = utf8(options.experiment), .script = utf8(output), .arrays = utf8(output.stem()) + ".npz"};
  if (!check_array_name(files.arrays))
    return fail("{}: a script's name must be UTF-8 without control characters", one_line(files.script));
  return files;
}

Status carry_out(const CodeOptions& options) {
  HL_TRY(const ScriptFiles files, files_of(options));
  HL_TRY(const Experiment experiment, read_named_experiment(options.experiment));
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  const std::string text = script(*ran.trace, *ran.problem, options.language, files);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return {};
  }
  const auto arrays = std::filesystem::path(options.output).replace_filename(files.arrays);
  for (const auto& path : {options.output, arrays}) HL_CHECK(check_may_write(experiment, path));
  HL_TRY(FileWriter writer, FileWriter::create(options.output));  // nothing is left of one without the other
  HL_CHECK(writer.append(text));
  HL_CHECK(write_npz(arrays, script_arrays(*ran.trace)));
  return writer.commit();
}

}  // namespace

int code_command(const CodeOptions& options) {
  CodeOptions all = options;
  if (is_standard_output(all.output)) all.output.clear();
  return exit_status(carry_out(all));
}

}  // namespace headlight::app
