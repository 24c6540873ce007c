#include "app/actions/exports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "app/actions/update.h"
#include "app/figures/figure_layers.h"
#include "app/figures/figure_request.h"
#include "app/model/network_run.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

bool has(const std::vector<std::string>& each, std::string_view place) {
  return std::ranges::find(each, place) != each.end();
}

// The text of {experiment} in a name.
std::string experiment_name(const Model& model) {
  if (!model.path.empty()) return utf8(model.path.stem());
  return model.shows_network() ? utf8(path_of_utf8(model.document.network->asked.model).lexically_normal().filename())
                               : "example";
}

}  // namespace

// ---- Figures ------------------------------------------------------------------------------------------------------

FigureRequest files_request(const Model& model) {
  FigureRequest request = model.document.figure;
  if (has(model.figure_files.each, "step") && request.steps.size() < 2) request.steps.clear();
  return request;
}

std::vector<std::pair<std::string, std::vector<std::string>>> each_choices(const Model& model) {
  const Trace& trace = *model.figure_source().trace;
  const Step* step = first_step(trace, model.document.figure);
  std::vector<std::pair<std::string, std::vector<std::string>>> list{
      {"One", {}}, {"Each head", {"head"}}, {"Each step", {"step"}}, {"Each head, step", {"step", "head"}}};
  if (layers_of(trace) > 1) list.push_back({"Each layer", {"layer"}});
  const auto& now = model.figure_files.each;
  for (const auto& [title, place] :
       {std::pair{"Each frame", "frame"}, {"Each query", "query"}, {"Each batch item", "batch"}})
    if ((step && count_of(*step, place) > 1) || now == std::vector<std::string>{place})
      list.push_back({title, {place}});
  if (std::ranges::none_of(list, [&](const auto& choice) { return choice.second == now; }))
    list.push_back({fmt::format("Each {}", fmt::join(now, ", ")), now});
  return list;
}

std::string path_for_each(const FigureFiles& files, const std::vector<std::string>& each, const FigureRequest& figure) {
  std::vector<std::string> needless;
  for (const auto& place : files.each)
    if (!has(each, place)) needless.push_back(place);
  const std::string name = figure.steps.empty() ? "figure" : figure.steps.front();
  return with_places(without_places(files.path, needless, name), each);
}

Result<ExportTask> figure_export(const Model& model, const std::string& pattern) {
  HL_TRY([[maybe_unused]] const FigureFormat format, figure_format_of(pattern));
  std::set<fs::path> taken;
  const Outcome& of = model.figure_source();
  HL_TRY(auto jobs,
         figure_jobs(*of.trace, files_request(model), model.figure_files.each, pattern, experiment_name(model), taken));
  FigureSource source{of.trace, of.problem, of.experiment, model.companions};
  if (model.shows_network()) source.model = std::make_shared<const ModelExperiment>(model.net.run->asked);
  source.read = files_read_for(source.of(), model.companions, model.document.figure);
  source.read.push_back(model.path);  // it may have been saved there after it ran
  return FigureExport{std::move(source), std::move(jobs), model.figure_files.extras, model.fonts};
}

// ---- Worksheets ---------------------------------------------------------------------------------------------------

namespace {

Status set_count(SheetSettings& sheet, auto SheetSettings::*member, std::string_view key, std::string_view text,
                 auto most, decltype(most) least = {}) {
  if (text == "auto") {
    sheet.*member = SheetSettings().*member;
    return {};
  }
  const auto value = parse_number<decltype(most)>(text);
  if (!value || *value < least || *value > most)
    return fail("sheet {} is \"{}\": it must be a number from {} to {}", key, text, least, most);
  sheet.*member = *value;
  return {};
}

Status set_choice(bool& target, std::string_view key, std::string_view text, std::string_view no,
                  std::string_view yes) {
  if (text != no && text != yes) return fail("sheet {} is \"{}\": it must be {} or {}", key, text, no, yes);
  target = text == yes;
  return {};
}

constexpr Index most_index = 100000;  // as on the command line

// "3, 5, 9"; "auto" or nothing: none.
Status set_rows(std::vector<Index>& rows, std::string_view text) {
  std::vector<Index> found;
  std::string words(text == "auto" ? "" : text);
  std::ranges::replace(words, ',', ' ');
  std::istringstream said(words);
  for (std::string word; said >> word;) {
    const auto row = parse_number<Index>(word);
    if (!row || *row < 0 || *row > most_index)
      return fail("sheet rows is \"{}\": it must be numbers of queries, such as 3, 5, 9", text);
    if (std::ranges::find(found, *row) == found.end()) found.push_back(*row);
  }
  if (std::ssize(found) > most_copies)
    return fail("sheet rows names {} queries: at most {}", found.size(), most_copies);
  rows = std::move(found);
  return {};
}

// The query that the sheet is of where nobody chose one.
std::optional<Index> default_query(const Model& model) {
  if (model.shown.problem->only_query) return model.shown.problem->only_query;
  if (model.document.look.selection.query) return model.document.look.selection.query;
  for (const Step& step : model.trace()->steps)
    if (const Axis* queries = step.axis(AxisRole::query); queries && has_heads(step)) return queries->size / 2;
  return std::nullopt;
}

}  // namespace

Status set_sheet(SheetSettings& sheet, std::string_view key, std::string_view text) {
  constexpr std::uint64_t most_seed = std::numeric_limits<int>::max();
  if (key == "head") return set_count(sheet, &SheetSettings::head, key, text, most_index);
  if (key == "query") return set_count(sheet, &SheetSettings::query, key, text, most_index);
  if (key == "blanks") return set_count(sheet, &SheetSettings::blanks, key, text, static_cast<int>(most_index));
  if (key == "seed") return set_count(sheet, &SheetSettings::seed, key, text, most_seed);
  if (key == "copies") return set_count(sheet, &SheetSettings::copies, key, text, most_copies, 1);
  if (key == "rows") return set_rows(sheet.rows, text);
  if (key == "by-hand") return set_choice(sheet.by_hand, key, text, "off", "on");
  if (key == "paper") return set_choice(sheet.letter, key, text, "a4", "letter");
  if (key == "key") return set_choice(sheet.with_key, key, text, "off", "on");
  if (key != "path") return fail("\"{}\" is no setting of a worksheet", key);
  sheet.path = std::string(text);
  return {};
}

WorksheetRequest sheet_request(const Model& model) {
  const SheetSettings& sheet = model.sheet;
  WorksheetRequest request;
  request.blanks = sheet.blanks;
  request.seed = sheet.seed;
  if (sheet.by_hand) return request;
  request.title = worksheet_title(*model.shown.experiment, *model.shown.problem, model.path);
  request.batch = model.document.look.batch;
  request.head = sheet.head.value_or(model.document.look.head);
  request.query = sheet.query ? sheet.query : default_query(model);
  return request;
}

std::string sheet_path(const Model& model) {
  if (!model.sheet.path.empty()) return model.sheet.path;
  const std::string name = model.sheet.by_hand ? "by-hand" : experiment_name(model);
  return utf8(model.path.parent_path() / (name + (model.sheet.sheets() > 1 ? "-sheets.pdf" : "-sheet.pdf")));
}

std::string sheet_command(const Model& model) {
  const WorksheetRequest request = sheet_request(model);
  std::string command = "headlight worksheet";
  if (model.sheet.by_hand) {
    command += " --by-hand";
  } else {
    if (!model.path.empty()) command += fmt::format(" {}", quoted(utf8(model.path)));
    command += fmt::format(" --head {}", request.head);
    if (request.query && model.sheet.rows.empty()) command += fmt::format(" --query {}", *request.query);
    if (model.extent(AxisRole::batch) > 1) command += fmt::format(" --batch {}", request.batch);
  }
  if (request.blanks) command += fmt::format(" --blanks {}", *request.blanks);
  if (request.seed != SheetSettings().seed) command += fmt::format(" --seed {}", request.seed);
  if (!model.sheet.rows.empty()) command += fmt::format(" --rows {}", fmt::join(model.sheet.rows, ","));
  if (model.sheet.rows.empty() && model.sheet.copies > 1) command += fmt::format(" --copies {}", model.sheet.copies);
  if (model.sheet.letter) command += " --paper letter";
  if (!model.sheet.with_key) command += " --no-key";
  return fmt::format("{} -o {}", command, quoted(sheet_path(model)));
}

WorksheetJob sheet_job(const Model& model) {
  const SheetSettings& sheet = model.sheet;
  WorksheetJob job;
  job.experiment = model.shown.experiment;
  job.trace = model.shown.trace;
  job.request = sheet_request(model);
  job.by_hand = sheet.by_hand;
  job.copies = sheet.copies;
  job.rows = sheet.rows;
  job.paper = sheet.letter ? letter_paper : a4_paper;
  job.fonts = model.fonts;
  job.answers_behind = sheet.with_key && sheet.sheets() > 1;
  return job;
}

Result<ExportTask> sheet_export(const Model& model, const fs::path& path) {
  WorksheetJob job = sheet_job(model);
  HL_TRY(job.key, worksheet_key(path, {}));
  if (!model.sheet.with_key || job.answers_behind) job.key.clear();
  HL_CHECK(check_worksheet_files(*model.shown.experiment, path, job.key));
  job.output = path;
  return ExportTask(std::move(job));
}

// ---- Files --------------------------------------------------------------------------------------------------------

namespace {

std::string key_of(const Model& model) {
  if (model.screen == Screen::worksheet)
    return fmt::format("sheet {} {} {} {}", model.exported.size(), sheet_path(model), model.sheet.with_key,
                       model.sheet.sheets() > 1);
  return fmt::format("{} {} {}", model.figure_source().ticket, model.exported.size(), command_of(model));
}

// The files that an export writes, but for the data files of PGFPlots, which lie beside their figure.
std::vector<fs::path> files_of(const ExportTask& task) {
  std::vector<fs::path> files;
  if (const auto* sheet = std::get_if<WorksheetJob>(&task)) {
    files.push_back(sheet->output);
    if (!sheet->key.empty()) files.push_back(sheet->key);
    return files;
  }
  if (const auto* arrays = std::get_if<ArraysJob>(&task)) return {arrays->output};
  if (const auto* text = std::get_if<TextJob>(&task)) return {text->output};
  const auto& figures = std::get<FigureExport>(task);
  for (const FigureJob& job : figures.jobs) {
    files.push_back(job.output);
    for (const auto& [on, extension] :
         {std::pair{figures.extras.csv, ".csv"}, {figures.extras.npy, ".npy"}, {figures.extras.words, ".txt"}})
      if (on) files.push_back(fs::path(job.output).replace_extension(extension));
  }
  return files;
}

}  // namespace

std::vector<fs::path> files_replaced(const std::map<fs::path, std::string>& exported, const ExportTask& task) {
  std::error_code ignored;
  std::vector<fs::path> files = files_of(task);
  const bool sheet = std::holds_alternative<WorksheetJob>(task);  // the next one has other numbers
  std::erase_if(files, [&](const fs::path& file) {
    const auto ours = exported.find(fs::absolute(file, ignored));
    return !fs::exists(file, ignored) || (!sheet && ours != exported.end() && ours->second == stamp_of(file));
  });
  return files;
}

void refresh(PlannedFiles& planned, const Model& model) {
  std::string key = key_of(model);
  if (key == planned.key) return;
  auto task = model.screen == Screen::worksheet ? sheet_export(model, sheet_path(model))
                                                : figure_export(model, figure_path(model));
  const std::size_t replaced = task ? planned.replaced : 0;  // as before, until that is looked at
  planned = {std::move(key), nullptr, {}, task ? "" : task.error().message, 0, replaced, -1e9};
  if (!task) return;
  planned.files = files_of(*task).size();
  if (const auto* figures = std::get_if<FigureExport>(&*task)) planned.jobs = figures->jobs;
  planned.task = std::make_shared<const ExportTask>(std::move(*task));
}

std::string describe_replaced(const PlannedFiles& planned) {
  const std::size_t replaced = planned.replaced;
  if (replaced == 0) return "";
  if (planned.files == 1) return "Replaces the file that is there.";
  if (replaced == planned.files) return "Replaces the files that are there.";
  return fmt::format("Replaces {} {} there.", replaced, replaced == 1 ? "file that is" : "files that are");
}

}  // namespace headlight::app
