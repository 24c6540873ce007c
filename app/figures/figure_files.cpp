#include "app/figures/figure_files.h"

#include <algorithm>

#include "app/figures/figure_recipe.h"
#include "app/text/font_set.h"
#include "app/text/scripts.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"

namespace headlight::app {

namespace {

// (panels, rows, columns).
Result<std::string> npy_of(const Figure& figure) {
  const MatrixView first = numbers_of(figure.panels.front());
  for (const Panel& panel : figure.panels)
    if (panel.cells.rows != first.rows || panel.cells.columns != first.columns)
      return fail("the panels differ in size, {} × {} and {} × {}: they make no one array, so save a CSV instead",
                  first.rows, first.columns, panel.cells.rows, panel.cells.columns);
  Tensor all({static_cast<Index>(figure.panels.size()), first.rows, first.columns});
  float* out = all.data();
  for (const Panel& panel : figure.panels)
    for (Index r = 0; r < first.rows; ++r)
      for (Index c = 0; c < first.columns; ++c) *out++ = numbers_of(panel).at(r, c);
  std::string bytes = npy_header(all.shape());
  bytes.append(bytes_of(all));
  return bytes;
}

}  // namespace

Result<std::vector<FigureFile>> figure_files(const Trace& trace, const Problem& problem, const FiguredOf& of,
                                             const FigureRequest& asked, const std::filesystem::path& output,
                                             const FigureExtras& extras, const std::filesystem::path& fonts,
                                             const Companions& companions) {
  HL_TRY(const FigureFormat format, figure_format_of(output));
  const FigureRequest request = with_layer_names(asked, of.name());
  HL_TRY(OwnedFigure owned, figure_of(trace, problem, request, companions));
  Figure& figure = owned.figure;
  if (request.recipe) figure.recipe = recipe_text(of, request, companions, output.parent_path());
  HL_TRY(figure.time, source_date());
  HL_TRY(const PageOptions page, page_options(request));
  HL_TRY(const FontFiles font_files, font_files_named(fonts, request.font));
  const std::string stem = utf8(output.stem());
  HL_TRY(auto files, render_figure(figure, page, font_files, format, stem));
  files.front().name = utf8(output.filename());  // also where it ends in .PDF
  if (extras.csv) files.push_back({stem + ".csv", csv_of(figure)});
  if (extras.npy) {
    HL_TRY(std::string bytes, npy_of(figure));
    files.push_back({stem + ".npy", std::move(bytes)});
  }
  const std::string& note = files.front().note;
  const std::string caption = caption_of(figure) + (note.empty() ? "" : " " + note);
  if (extras.words)
    files.push_back({stem + ".txt", fmt::format("Caption\n{}\n\nAlternative text\n{}\n",
                                                request.caption.value_or(caption), figure.description)});
  return files;
}

Result<std::string> missing_fonts_of(const Problem& problem, std::vector<std::string> texts, const std::string& font,
                                     const std::filesystem::path& fonts) {
  for (const auto& [axis, labels] : problem.labels) texts.insert(texts.end(), labels.begin(), labels.end());
  HL_TRY(const FontFiles files, font_files_named(fonts, font));
  HL_TRY(const FontSet set, FontSet::load(files));
  return missing_fonts_note(missing_scripts(set, texts));
}

std::vector<std::filesystem::path> files_read_for(const FiguredOf& of, const Companions& companions,
                                                  const FigureRequest& request) {
  std::vector<std::filesystem::path> read = of.files();
  for (const auto& [path, companion] : companions)
    if (companion.experiment)
      for (auto& file : files_read(*companion.experiment)) read.push_back(std::move(file));
  for (auto& file : font_files_read(request.font)) read.push_back(std::move(file));
  return read;
}

Status write_figure_files(const std::vector<FigureFile>& files, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& read) {
  const std::filesystem::path folder = output.parent_path();
  for (const FigureFile& file : files) HL_CHECK(check_not_read(read, folder / file.name));
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return fail("{}: this folder cannot be made: {}", utf8(folder), error.message());
  for (const FigureFile& file : files) HL_CHECK(write_file(folder / file.name, file.bytes));
  return {};
}

}  // namespace headlight::app
