// What the export screens make of the model: which files there would be, what of, and the commands that make the same.
//
// Not for writing them: session/exporter.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model/export_task.h"
#include "app/model/model.h"

namespace headlight::app {

// ---- Figures

// What the files are asked to show: the document's figure, of all steps where there is a file for each.
FigureRequest files_request(const Model& model);

// Ways of "a file for each" that the figure's step has, with their titles; what is chosen is always among them.
std::vector<std::pair<std::string, std::vector<std::string>>> each_choices(const Model& model);

// The path for other places: those that are needed are put into its name, those that are not are taken out.
std::string path_for_each(const FigureFiles& files, const std::vector<std::string>& each, const FigureRequest& figure);

// All that is drawn, fixed as it is now. Errors: of names and places, as of figure_jobs(). The model must have a trace.
Result<ExportTask> figure_export(const Model& model, const std::string& pattern);

// ---- Worksheets

// Sets one of a worksheet's settings from its text. Errors name the setting, what was found and what is allowed.
Status set_sheet(SheetSettings& sheet, std::string_view key, std::string_view text);

// Head and query are those of the settings, else those that are looked at. The model must have a trace.
WorksheetRequest sheet_request(const Model& model);
// As chosen, else named after the experiment, beside it.
std::string sheet_path(const Model& model);
std::string sheet_command(const Model& model);
// The sheet without places for its files. The model must have a trace.
WorksheetJob sheet_job(const Model& model);
Result<ExportTask> sheet_export(const Model& model, const std::filesystem::path& path);

// ---- Files

// The files that an export would write now, kept between frames.
struct PlannedFiles {
  std::string key;                         // what they were found from
  std::shared_ptr<const ExportTask> task;  // null: there are none
  std::vector<FigureJob> jobs;
  std::string error;         // why there are none
  std::size_t files = 0;     // figures and what is saved beside them
  std::size_t replaced = 0;  // how many of them are there already, as far as was looked: files_replaced()
  double looked_at = -1e9;   // seconds on the window's clock: others may make files too
};

// Finds them again where something has changed.
void refresh(PlannedFiles& planned, const Model& model);

// Those of the files that the export writes which are there already, but for figures and arrays that this session
// wrote, which are in `exported` (Model::exported). Looks at the disk: not for the window's thread.
std::vector<std::filesystem::path> files_replaced(const std::map<std::filesystem::path, std::string>& exported,
                                                  const ExportTask& task);

// "Replaces the file that is there.", or empty.
std::string describe_replaced(const PlannedFiles& planned);

}  // namespace headlight::app
