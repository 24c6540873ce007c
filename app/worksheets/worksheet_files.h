// The two files of a sheet of exercises: the sheet and its key, what they are called and titled.
//
// Not for what stands on them: worksheet_of.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/worksheets/worksheet_of.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// The title of the sheet: the experiment's text, else its file's name, else what its variant is called.
std::string worksheet_title(const Experiment& experiment, const Problem& problem, const std::filesystem::path& path);

// Where the key goes: where asked for, else SHEET-key.pdf beside the sheet.
// Errors: either is not named .pdf.
Result<std::filesystem::path> worksheet_key(const std::filesystem::path& output, const std::filesystem::path& key);

// Without a key, `key` is empty. Errors: one of them would write over what the experiment reads, or both are one file,
// be it by another path.
Status check_worksheet_files(const Experiment& experiment, const std::filesystem::path& output,
                             const std::filesystem::path& key);

struct WorksheetJob {
  std::shared_ptr<const Trace> trace;
  WorksheetRequest request;
  PaperSize paper = a4_paper;
  std::filesystem::path output;
  std::filesystem::path key;    // empty: the sheet alone
  std::filesystem::path fonts;  // their folder
};

// Nothing is left of one without the other. Errors: as of worksheet_of(), and files that cannot be written.
Status write_worksheet(const WorksheetJob& job);

}  // namespace headlight::app
