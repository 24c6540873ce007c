#include <fmt/format.h>

#include <array>

#include "app/reading/inputs.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

// Where a file of that name is written, behind all links: what is there need not exist.
fs::path real_path(fs::path path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : place;
}

}  // namespace

std::string worksheet_title(const Experiment& experiment, const Problem& problem, const fs::path& path) {
  for (const ArraySpec& input : problem.specs.inputs) {
    const auto given = experiment.inputs.find(input.id);
    if (given == experiment.inputs.end() || !is_used_as_given(problem, input.id, given->second)) continue;
    if (const auto* text = std::get_if<TextInput>(&given->second)) return one_line(text->text);
  }
  return path.empty() ? problem.variant->info().title : one_line(utf8(path.stem()));
}

Result<fs::path> worksheet_key(const fs::path& output, const fs::path& key) {
  const fs::path beside =
      key.empty() ? fs::path(output).replace_filename(utf8(output.stem()) + "-key.pdf") : fs::path(key);
  for (const fs::path& path : {output, beside})
    if (path.extension() != ".pdf") return fail("{}: worksheets are written as .pdf: name it so", utf8(path));
  return beside;
}

Status check_worksheet_files(const Experiment& experiment, const fs::path& output, const fs::path& key) {
  HL_CHECK(check_may_write(experiment, output));
  if (key.empty()) return {};
  if (real_path(key) == real_path(output))
    return fail("--key {}: it would write over the sheet: give it another name", one_line(utf8(key)));
  return check_may_write(experiment, key);
}

Result<std::string> write_worksheet(const WorksheetJob& job, const std::stop_token& stop,
                                    std::atomic<float>* fraction) {
  HL_TRY(const MadeWorksheets made, make_worksheets(job, stop, fraction));
  HL_TRY(const auto time, source_date());
  const FontFiles fonts = font_files_in(job.fonts);
  std::vector<SheetSide> sides{SheetSide::questions};
  if (job.answers_behind) sides.push_back(SheetSide::key);
  HL_TRY(const std::string sheet_bytes, worksheets_pdf(made.sheets, job.paper, sides, fonts, time));
  std::string key_bytes;
  if (!job.key.empty()) {
    HL_TRY(key_bytes, worksheets_pdf(made.sheets, job.paper, std::array{SheetSide::key}, fonts, time));
  }
  if (stop.stop_requested()) return fail("cancelled");
  HL_TRY(FileWriter writer, FileWriter::create(job.output));
  HL_CHECK(writer.append(sheet_bytes));
  if (!job.key.empty()) HL_CHECK(write_file(job.key, key_bytes));
  HL_CHECK(writer.commit());
  return made.note;
}

}  // namespace headlight::app
