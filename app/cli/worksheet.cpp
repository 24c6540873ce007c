#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// Its text, else its name.
std::string title_of(const Experiment& experiment, const Problem& problem, const fs::path& path) {
  for (const ArraySpec& input : problem.specs.inputs) {
    const auto given = experiment.inputs.find(input.id);
    if (given == experiment.inputs.end()) continue;
    if (const auto* text = std::get_if<TextInput>(&given->second)) return one_line(text->text);
  }
  return one_line(path.stem().string());
}

Result<fs::path> key_path(const WorksheetOptions& options) {
  fs::path key = options.key;
  if (key.empty()) key = fs::path(options.output).replace_filename(options.output.stem().string() + "-key.pdf");
  for (const fs::path& path : {options.output, key})
    if (path.extension() != ".pdf") return fail("{}: worksheets are written as .pdf: name it so", path.string());
  if (key.lexically_normal() == options.output.lexically_normal())
    return fail("--key {}: it would write over the sheet: give it another name", key.string());
  return key;
}

Status carry_out(const WorksheetOptions& options) {
  HL_TRY(const fs::path key, key_path(options));
  HL_TRY(const Experiment experiment, read_experiment(options.experiment));
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  WorksheetRequest request = options.request;
  request.title = title_of(experiment, *ran.problem, options.experiment);
  request.batch = experiment.view.batch.value_or(0);
  request.head = options.head.value_or(experiment.view.head.value_or(0));
  if (!request.query) request.query = experiment.view.query;
  HL_TRY(const MadeWorksheet made, worksheet_of(*ran.trace, request));
  HL_TRY(const auto time, source_date());
  const FontFiles fonts = font_files_in(assets_folder() / "fonts");
  HL_TRY(const std::string sheet_bytes, worksheet_pdf(made.sheet, options.paper, SheetSide::questions, fonts, time));
  HL_TRY(const std::string key_bytes, worksheet_pdf(made.sheet, options.paper, SheetSide::key, fonts, time));
  HL_TRY(FileWriter writer, FileWriter::create(options.output));  // nothing is left of one without the other
  HL_CHECK(writer.append(sheet_bytes));
  if (options.with_key) HL_CHECK(write_file(key, key_bytes));
  return writer.commit();
}

}  // namespace

int worksheet_command(const WorksheetOptions& options) {
  const Status status = carry_out(options);
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
